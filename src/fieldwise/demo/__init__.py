"""The embedded demo: a suite, its cases and its strategies, installed with the package."""
