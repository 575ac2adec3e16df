"""The process that FBX files are read in: `python -m moveset.formats.fbx.worker`.

ufbx reads every FBX there is, but its Python module (0.0.5) gives out elements without counting the references, so
that ordinary use of it crashes sooner or later; and files from anywhere may ask any parser for too much. Here a
crash costs one file. What `extract` takes out of ufbx is never given back, which is why a process ends after a while.
"""

from __future__ import annotations

from moveset.formats.process.worker import Read, main


def _ufbx() -> Read:
    from moveset.formats.fbx.extract import read_fbx

    return read_fbx


if __name__ == "__main__":
    main(_ufbx)
