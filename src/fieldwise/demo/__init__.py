"""The embedded demo: suites with their cases and strategies, installed with the package."""
