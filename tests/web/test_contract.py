"""The OpenAPI document is kept: schemathesis tries it out on a real server."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from fieldwise.web.settings import Settings

TOKEN = "a-launch-token-for-tests"
# 422 is documented: what a schema cannot say, such as the options of an evaluator, is checked with reasons
CONFIG = '[checks.positive_data_acceptance]\nexpected-statuses = ["2xx", 401, 403, 404, 409, 422]\n'


def test_no_request_breaks_the_contract_or_the_server(serve: Callable[[Settings], str], workspace: Path) -> None:
    address = serve(Settings(root=workspace / ".fieldwise", workspace=workspace, data=workspace / "data", token=TOKEN))
    config = workspace / "schemathesis.toml"
    config.write_text(CONFIG)
    command = [str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(config), "run", f"{address}/api/v1/openapi.json"]
    options = ["-H", f"Authorization: Bearer {TOKEN}", "--max-examples", "8", "--seed", "1", "--workers", "1", "--no-color"]
    done = subprocess.run(
        [*command, *options, "--phases", "examples,coverage,fuzzing"], capture_output=True, text=True, check=False, cwd=workspace
    )
    assert done.returncode == 0, done.stdout[-6000:]
    assert "Server error" not in done.stdout


def test_the_document_names_every_route_and_its_problems(serve: Callable[[Settings], str], workspace: Path) -> None:
    import httpx

    address = serve(Settings(root=workspace / ".fieldwise", workspace=workspace, token=TOKEN))
    document = httpx.get(f"{address}/api/v1/openapi.json", headers={"authorization": f"Bearer {TOKEN}"}).json()
    expected = [
        "evaluate",
        "evaluate/batch",
        "evaluate/upload",
        "evaluate/path",
        "runs",
        "runs/{run}",
        "runs/{run}/results",
        "runs/{run}/case",
        "runs/{run}/tags/{tag}",
    ]
    expected += [
        "runs/{run}/what-if",
        "compare",
        "configuration",
        "configuration/check",
        "jobs",
        "jobs/{job}",
        "jobs/{job}/events",
        "health",
    ]
    assert sorted(document["paths"]) == sorted(f"/api/v1/{path}" for path in expected)
    evaluate = document["paths"]["/api/v1/evaluate"]["post"]
    assert "application/problem+json" in evaluate["responses"]["422"]["content"]
    strategies = document["components"]["schemas"]["EvaluateRequest"]["properties"]["field_strategies"]
    assert "IGNORE" in json.dumps(strategies)
