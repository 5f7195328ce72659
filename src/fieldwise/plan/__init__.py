"""A suite becomes a plan, or every problem it has. No I/O: side files are read by a function that is passed in."""
