"""The `moveset` command. One verb a file: a dataclass of options and one call of a workflow."""

from __future__ import annotations

import sys

from cyclopts import App

from moveset import __version__
from moveset.errors import MovesetError

app = App(
    name="moveset",
    version=__version__,
    help="Game animation from motion data. `moveset VERB --help` explains a verb and shows an example.",
)

# One line a verb; the module loads when the verb is used.
VERBS = {
    "info": "what a file, folder or archive holds",
    "convert": "write clips in another format",
}
for _verb, _about in VERBS.items():
    app.command(f"moveset.cli.{_verb}:{_verb}", name=_verb, help=_about)


def main() -> None:
    """Run the command line; a MovesetError becomes one line on stderr and exit status 2."""
    try:
        app()
    except MovesetError as error:
        print(f"moveset: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("moveset: stopped", file=sys.stderr)
        sys.exit(130)
