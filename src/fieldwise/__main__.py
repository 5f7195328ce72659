"""`python -m fieldwise`, where the command itself is not on the path."""

from fieldwise.cli import main

if __name__ == "__main__":
    main()
