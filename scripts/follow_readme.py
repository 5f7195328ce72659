"""Follow the README literally in a fresh copy of the repository, and measure `make demo`.

    python scripts/follow_readme.py

Needs git, make and an index for pip; without an index it says so and exits 0. Fails if a command fails, if `make demo` takes more than two
minutes of CPU time, or if its environment is larger than 600 MB.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from shlex import quote

ROOT = Path(__file__).parents[1]
MAX_CPU_SECONDS = 120
MAX_MEGABYTES = 600
NO_INDEX = re.compile(r"No matching distribution|Could not find a version|Temporary failure in name resolution|Connection (refused|error)")


def main() -> int:
    """Return the exit code."""
    if not (ROOT / ".git").exists():
        print("skipped: this is not a clone")
        return 0
    with tempfile.TemporaryDirectory(prefix="fieldwise-readme-") as name:
        copy = Path(name) / "fieldwise"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(copy)], check=True)
        before = _cpu_seconds()
        demo = _run("make demo", copy)
        seconds = _cpu_seconds() - before
        if demo.returncode and NO_INDEX.search(demo.stdout):
            print("skipped: pip reaches no index here, so that nothing can be installed")
            return 0
        megabytes = sum(file.lstat().st_size for file in (copy / ".venv").rglob("*") if not file.is_symlink()) / 1e6
        print(f"make demo: exit {demo.returncode}, {seconds:.0f} s of CPU, {megabytes:.0f} MB")
        failures = [demo.stdout[-2_000:]] if demo.returncode else []
        if seconds > MAX_CPU_SECONDS or megabytes > MAX_MEGABYTES:
            failures.append(f"make demo may take {MAX_CPU_SECONDS} s of CPU and {MAX_MEGABYTES} MB")
        readme = (copy / "README.md").read_text(encoding="utf-8")
        for command in list_commands(readme):
            done = _run(f". .venv/bin/activate && {command}", copy)
            print(f"exit {done.returncode}: {command}")
            if done.returncode not in (0, 1):
                failures.append(f"{command}\n{done.stdout[-2_000:]}")
        done = _run(f". .venv/bin/activate && python -c {quote(join_python_blocks(readme))}", copy)
        print(f"exit {done.returncode}: the Python blocks, with the base package alone")
        if done.returncode:
            failures.append(done.stdout[-2_000:])
    print("\n".join(failures))
    return 1 if failures else 0


def list_commands(readme: str) -> list[str]:
    """The commands of fieldwise in the console blocks of a README, in order."""
    blocks = re.findall(r"^```console\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("$ ").split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("fieldwise ")]


def join_python_blocks(readme: str) -> str:
    """The Python blocks of a README as one script."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL))


def _run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell command as a new user would: without this process's Python path."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        command, shell=True, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    sys.exit(main())
