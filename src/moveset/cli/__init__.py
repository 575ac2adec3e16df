"""The `moveset` command. One verb a file: a dataclass of options and one call of a workflow."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cyclopts import App

from moveset import __version__
from moveset.errors import MovesetError

app = App(
    name="moveset",
    version=__version__,
    help="Game animation from motion data. `moveset VERB --help` explains a verb and shows an example.",
    suppress_keyboard_interrupt=False,  # main says what was stopped
)

# A verb: what it is about for the list of verbs, and an example for its own help. The module loads when the verb
# is used, so what stands here must not need it.
VERBS = {
    "info": "what a file, folder or archive holds\n\nExample: `moveset info knight.glb pack.zip --tree`",
    "convert": "write clips in another format\n\n"
    "Examples: `moveset convert walk.bvh -o walk.glb`, `moveset convert pack.zip clips/ -o out --to bvh --fps 30`",
    "roles": "what each joint of a rig is on the body, as a file to edit\n\n"
    "Example: `moveset roles monster.glb -o roles.toml`",
    "render": "draw a clip: contact sheet, strip of poses, GIF\n\n"
    "Example: `moveset render 'knight.glb#1H_Melee_Attack_Chop' -o chop.gif --view side`",
    "audit": "what is wrong with clips, with numbers and advice\n\n"
    "Examples: `moveset audit clips/ pack.zip --html report.html`, `moveset audit walk.bvh --only pops flips`",
    "build": "clips to a library: audited, repaired, measured, tagged, split\n\n"
    "Example: `moveset build clips/ pack.zip -o my.library`",
    "query": "ask a library in SQL\n\nExample: `moveset query my.library \"speed > 1 and 'walk' in tags\"`",
    "play": "characters that follow a path, measured and exported\n\n"
    "Example: `moveset play my.library --path eight --speed 1.4 -o walk.glb`",
    "demo": "all of it once: clips, audit, library, characters that move, a report\n\n"
    "Example: `moveset demo mocap.zip -o out/mocap`",
    "train": "clips to an autoencoder or a controller\n\n"
    "Examples: `moveset train controller my.library -o walks.controller`, "
    "`moveset train autoencoder my.library -o walks.autoencoder --preset tiny`",
    "evaluate": "how good a trained autoencoder or controller is\n\n"
    "Examples: `moveset evaluate autoencoder walks.autoencoder --on walks.set`, "
    "`moveset evaluate controller walks.controller --against my.library -o report`",
    "doctor": "is this machine fit? versions, and a real operation on every device\n\nExample: `moveset doctor`",
}
for _verb, _about in VERBS.items():
    app.command(f"moveset.cli.{_verb}:{_verb}", name=_verb, help=_about)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a MovesetError becomes one line on stderr and exit status 2."""
    try:
        app(sys.argv[1:] if arguments is None else arguments)
    except MovesetError as error:
        print(f"moveset: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # the reader, e.g. `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except KeyboardInterrupt as stop:
        print(f"moveset: {str(stop) or 'stopped'}", file=sys.stderr)
        sys.exit(130)
    except Exception as error:
        if os.environ.get("MOVESET_DEBUG"):
            raise
        print(f"moveset: {_unforeseen(error)}", file=sys.stderr)
        sys.exit(2)


def _unforeseen(error: Exception) -> MovesetError:
    """What the machine refused, or a fault of Moveset itself."""
    if isinstance(error, OSError) and error.strerror:
        return MovesetError(
            error.strerror, file=error.filename, do="check the path, its permissions and the room on the disk"
        )
    if isinstance(error, MemoryError):
        return MovesetError("not enough memory", do="ask for less at once")
    return MovesetError(
        f"Moveset failed: {type(error).__name__}: {error}",
        do="report this; with MOVESET_DEBUG=1 it says where",
    )
