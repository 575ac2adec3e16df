"""Biovision Hierarchy (.bvh): a family of dialects, read by tokens and written in its plainest form.

`document.py` what a file says, `parse.py` bytes to document, `hierarchy.py` its upper half, `numbers.py` its lower
half, `conventions.py` units, up axis and frame rate, `reader.py` document to clip, `writer.py` clip to document,
`text.py` numbers to text, `kernels.py` the compiled loops.
"""

from moveset.formats.bvh.document import Document, Joint
from moveset.formats.bvh.parse import parse
from moveset.formats.bvh.reader import READ_OPTIONS, read
from moveset.formats.bvh.writer import WRITE_OPTIONS, losses, write
from moveset.formats.registry import Format

__all__ = ["FORMAT", "Document", "Joint", "losses", "parse", "read", "write"]

FORMAT = Format(
    "bvh",
    (".bvh",),
    read,
    write,
    READ_OPTIONS,
    WRITE_OPTIONS,
    single_clip=True,
    holds_meshes=False,
    losses=losses,
)
