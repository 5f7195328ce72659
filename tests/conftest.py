"""Fixtures that several folders of tests share."""

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent / "support"))  # for `shortcuts`

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts a job in the background so; tests press Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples every time, so that a test fails only after a change; and no deadline, which a busy machine misses.
# FIELDWISE_FUZZ=20 looks at others, and at twenty times as many.
_FUZZ = int(os.environ.get("FIELDWISE_FUZZ", "0"))
settings.register_profile("steady", derandomize=not _FUZZ, deadline=None)
settings.load_profile("steady")
_SETTINGS = "_hypothesis_internal_use_settings"

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--without-shortcuts`: every cache and shortcut of scoring is off, and the tests must pass all the same."""
    parser.addoption("--without-shortcuts", action="store_true", help="turn every cache and shortcut of scoring off")


@pytest.fixture(autouse=True)
def _shortcuts(request: pytest.FixtureRequest) -> Iterator[None]:
    if not request.config.getoption("--without-shortcuts", default=False):
        yield
        return
    from shortcuts import without_shortcuts

    with without_shortcuts():
        yield


_LONG_FILES = (
    "web/test_pages_in_browser.py",
    "web/test_stories_in_browser.py",
    "engines/test_remote.py",
    "engines/test_executors.py",
    "web/test_contract.py",
    "test_fault_injection.py",
    "engines/test_ray_executor.py",
    "report/test_run_changes.py",
    "report/test_html_in_browser.py",
    "web/test_jobs.py",
    "read/test_cases.py",
    "test_docs_site.py",
)
"""Files that take half a minute or more. They start first, so that at the end no process waits for the one that has such a file."""


def _start_place(item: pytest.Item) -> int:
    """The place of its file among the long ones; the others follow in the order in which they were collected."""
    file = item.path.as_posix()
    return next((place for place, name in enumerate(_LONG_FILES) if file.endswith(f"/tests/{name}")), len(_LONG_FILES))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long files first, and give every law as many more examples as FIELDWISE_FUZZ says."""
    items.sort(key=_start_place)
    if _FUZZ:
        functions = (getattr(item, "obj", None) for item in items)
        for test in {getattr(function, "__func__", function) for function in functions}:
            if getattr(test, "is_hypothesis_test", False):
                declared = getattr(test, _SETTINGS)
                setattr(test, _SETTINGS, settings(declared, max_examples=declared.max_examples * _FUZZ, deadline=None))


def _chromium() -> str:
    """The browser. Where it could be installed and is not, tests fail and say how; elsewhere they are skipped and say why."""
    browser = os.environ.get("FIELDWISE_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if browser:
        return browser
    if os.environ.get("CI") or shutil.which("apt-get"):
        pytest.fail(
            "pages are tested in Chromium, which is not installed: apt-get install -y chromium, or set FIELDWISE_CHROMIUM to its path"
        )
    pytest.skip("no Chromium here and no apt to install it with; set FIELDWISE_CHROMIUM to the path of one")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium without a window. It ends with its module, because its event loop would be in the way of tests that start their own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=_chromium(), args=_QUIET)
        yield started
        started.close()


@dataclass
class Watched:
    """An open page with its errors and its requests."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture
def open_page(browser: Any) -> Iterator[Any]:
    """`open_page(path, width=, scheme=)` opens a file from disk in a window of its own."""
    contexts: list[Any] = []

    def opened(path: Path, *, width: int = 1280, scheme: str = "light", **options: Any) -> Watched:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
        contexts.append(context)
        watched = Watched(context.new_page())
        watched.page.on("console", lambda message: watched.complaints.append(f"{message.type}: {message.text}"))
        watched.page.on("pageerror", lambda error: watched.complaints.append(str(error)))
        watched.page.on("request", lambda request: watched.requests.append(request.url))
        watched.page.goto(path.resolve().as_uri())
        return watched

    yield opened
    for context in contexts:
        context.close()
