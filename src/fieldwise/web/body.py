"""JSON that comes in, read as strictly as files are: no key twice, no broken text, no nesting without end."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from fieldwise.model.values import MISSING
from fieldwise.read.json_text import decode
from fieldwise.web.problems import Problem


class StrictRequest(Request):
    """A request whose JSON is read with reasons."""

    async def json(self) -> Any:
        """The value of its content."""
        if not hasattr(self, "_json"):
            self._json = parsed(await self.body())
        return self._json


def parsed(content: bytes, status: int = 400) -> Any:
    """The value of a JSON text; a Problem that says what is wrong with it."""
    found = decode(content)
    wrong = [one for one in found.diagnostics if one.level == "error"]
    if wrong or found.value is MISSING:
        raise Problem(status, wrong or found.diagnostics)
    return found.value


class StrictRoute(APIRoute):
    """A route that reads its content strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler with another kind of request."""
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handler(StrictRequest(request.scope, request.receive))

        return strict
