"""Biovision Hierarchy (.bvh): a family of dialects, read by tokens.

`document.py` what a file says, `parse.py` bytes to document, `numbers.py` the number block, `conventions.py`
units, up axis and frame rate, `reader.py` document to clip.
"""

from moveset.formats.bvh.document import Document, Joint
from moveset.formats.bvh.parse import parse
from moveset.formats.bvh.reader import READ_OPTIONS, read
from moveset.formats.registry import Format

__all__ = ["FORMAT", "Document", "Joint", "parse", "read"]

FORMAT = Format("bvh", (".bvh",), read, None, READ_OPTIONS, single_clip=True)
