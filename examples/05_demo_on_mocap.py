"""The demo on captured motion: locomotion of the CMU archives and of Bandai-Namco, if you have the data pack.

    python examples/05_demo_on_mocap.py [DATA] [OUT]

Bandai-Namco is for non-commercial use: the library names it, keep what you make of it apart.
"""

from __future__ import annotations

import sys
from pathlib import Path

from moveset.workflows.demo import Demo, run_demo

PACKS = {
    "cmu": ("mocap/cmu/cmu-asfamc-30fps.zip",),
    "bandai": ("mocap/bandai-namco/bandai-namco-1.zip",),
}


def main(data: Path, out: Path) -> None:
    for name, archives in PACKS.items():
        print(f"--- {name}")
        run_demo(
            out / name, Demo(tuple(str(data / archive) for archive in archives), path="circle:2.5", speed=1.2)
        )


if __name__ == "__main__":
    arguments = [Path(a) for a in sys.argv[1:]]
    main(
        arguments[0] if arguments else Path("../shared/data"),
        arguments[1] if len(arguments) > 1 else Path("out"),
    )
