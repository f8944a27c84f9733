"""`python -m deskhand`: the same as `deskhand`."""

from deskhand.cli import main

if __name__ == "__main__":
    main()
