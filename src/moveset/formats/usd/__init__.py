"""USD with UsdSkel (.usd .usda .usdc .usdz): skeletons, animations and skinned meshes, both ways.

`worker.py` the process in which OpenUSD reads, `extract.py` a stage to plain numbers, `read.py` those to an asset,
`write.py` an asset to a stage. OpenUSD is the extra `usd`.
"""

from moveset.formats.registry import Format
from moveset.formats.usd.read import read
from moveset.formats.usd.write import losses, write

__all__ = ["FORMAT"]

FORMAT = Format(
    "usd", (".usd", ".usda", ".usdc", ".usdz"), read, write, write_options=("up", "unit"), losses=losses
)
