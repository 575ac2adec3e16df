"""`moveset` and `python -m moveset`: stopping it while it still loads is no error either."""

from __future__ import annotations

import sys


def main() -> None:
    """Load the command line and run it."""
    try:
        from moveset import cli

        cli.main()
    except KeyboardInterrupt:
        print("moveset: stopped", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
