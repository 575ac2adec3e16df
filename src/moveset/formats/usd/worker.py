"""The process that USD files are read in: `python -m moveset.formats.usd.worker`; see formats/process."""

from __future__ import annotations

import os

from moveset.formats.process.worker import Read, main

_SMALLEST = b"#usda 1.0\n"


def _openusd() -> Read:
    os.environ["PXR_WORK_THREAD_LIMIT"] = "1"  # each thread takes address space, which is limited here
    from moveset.formats.usd.extract import read_usd

    read_usd(_SMALLEST)  # the libraries that load with the first stage are no file's cost
    return read_usd


if __name__ == "__main__":
    main(_openusd)
