"""Extension of griffe, which reads the source code for the API reference: `fieldwise.dataclass` is a dataclass decorator."""

from typing import Any

from griffe import Class, ExprCall, ExprName, Extension


class FastDataclass(Extension):
    """Gives a class with the decorator the standard one, from which griffe derives its parameters."""

    def on_class_instance(self, *, cls: Class, **_: Any) -> None:
        """Replace the decorator in what griffe has read."""
        for decorator in cls.decorators:
            if decorator.callable_path == "fieldwise.dataclass.dataclass" and isinstance(decorator.value, ExprCall):
                decorator.value.function = ExprName("dataclasses.dataclass")
                cls.labels.add("dataclass")
