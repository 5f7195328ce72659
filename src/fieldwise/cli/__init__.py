"""The command line: one file for each command. `main` is what `fieldwise` calls."""

from fieldwise.cli.app import main

__all__ = ["main"]
