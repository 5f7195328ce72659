"""Errors of stored runs; each message says what is stored and what to do."""

from fieldwise.model.locations import Location


class StoreError(OSError):
    """A run that could not be written, or whose files are corrupt."""


class Interrupted(KeyboardInterrupt):
    """A run was interrupted. The cases scored so far are stored, and the run can be resumed."""

    def __init__(self, run: str, cases: int) -> None:
        self.run, self.cases = run, cases
        super().__init__(f"run {run} was interrupted; {cases:,} cases are scored and stored.\n  go on: the same command with --resume")


def write_error(run: str, cases: int, error: OSError) -> StoreError:
    """The error for a run that cannot be written any further, with `cases` cases stored."""
    reason = error.strerror or str(error)
    file = f" ({error.filename})" if error.filename else ""
    return StoreError(
        f"run {run} cannot be stored any further: {reason}{file}\n  {cases:,} cases are scored and stored. "
        "Free some space or repair the folder, then go on: the same command with --resume"
    )


def resume_error(run: str, error: OSError) -> StoreError:
    """The error for a run whose folder cannot be read or cleaned while it is resumed."""
    reason = error.strerror or str(error)
    return StoreError(f"run {run} cannot be resumed now: {reason}\n  its stored cases are kept: repair the disk or folder, then try again")


def corrupt_file_error(path: Location, error: Exception) -> StoreError:
    """The error for a stored file that cannot be read."""
    reason = str(error).split("\n", 1)[0]
    return StoreError(f"{path}: the stored file cannot be read: {reason}\n  if its run did not finish, --resume scores those cases again")
