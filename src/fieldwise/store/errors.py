"""What goes wrong with stored runs, as errors that say what to do."""

from fieldwise.model.locations import Location


class StoreError(OSError):
    """A run that could not be written, or whose files are torn. Its message says what is kept, and what to do."""


class Interrupted(KeyboardInterrupt):
    """Somebody stopped a run. What was scored is kept, and the run can be resumed."""

    def __init__(self, run: str, cases: int) -> None:
        self.run, self.cases = run, cases
        super().__init__(f"run {run} was interrupted; {cases:,} cases are scored and kept.\n  go on: the same command with --resume")


def write_error(run: str, kept: int, error: OSError) -> StoreError:
    """The error for a run that cannot be written any further."""
    why = error.strerror or str(error)
    file = f" ({error.filename})" if error.filename else ""
    return StoreError(
        f"run {run} cannot be stored any further: {why}{file}\n  {kept:,} cases are scored and kept. "
        "Make room or mend the folder, then go on: the same command with --resume"
    )


def corrupt_file_error(path: Location, error: Exception) -> StoreError:
    """The error for a stored file that cannot be read."""
    why = str(error).split("\n", 1)[0]
    return StoreError(f"{path}: the stored file cannot be read: {why}\n  if its run did not finish, --resume scores those cases again")
