"""NumPy, imported when an attribute of it is first used: `from fieldwise.numpy_on_use import np`.

For the modules that `fieldwise check` imports and that compute only when something is scored; importing NumPy takes a quarter of the time
of that command. In such a module, `NDArray` is imported for type checkers only, and nothing at module level uses `np`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:

    class _NumpyOnUse:
        """Takes each attribute from NumPy at its first use and keeps it, so that later uses take as long as those of a module."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            value = getattr(numpy, name)
            setattr(self, name, value)
            return value

    np = _NumpyOnUse()

__all__ = ["np"]
