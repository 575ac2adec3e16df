"""`moveset convert`: clips in another format."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated

from cyclopts import Parameter

from moveset.cli.options import Flag, Output
from moveset.cli.printing import count, print_json
from moveset.cli.progress import track
from moveset.errors import MovesetError
from moveset.workflows.convert import Conversion, Converted, convert_files, plan_files


@dataclass(frozen=True, kw_only=True)
class ConvertOptions:
    """Options of `moveset convert`."""

    output: Output
    """A file whose suffix says the format, or a folder that gets the layout of the inputs."""
    to: str | None = None
    """Format of the files in an output folder: glb, fbx, bvh, usd, vrma, npz ..."""
    fps: float | None = None
    """Resample to this frame rate."""
    unit: str | None = None
    """Unit of BVH inputs: metres per unit, or m dm cm mm inch asf. Guessed if not given."""
    up: str | None = None
    """Up axis of BVH and SMPL inputs, Y or Z. Guessed if not given."""
    to_unit: str | None = None
    """Unit of BVH outputs; that of a BVH input, else cm."""
    to_up: str | None = None
    """Up axis of BVH outputs; that of a BVH input, else Y."""
    order: str | None = None
    """Rotation order of BVH outputs, e.g. ZXY; that of a BVH input, else ZXY."""
    preset: str | None = None
    """Where FBX outputs go, which says units and axes: unreal, unity, maya or blender; maya if not given."""
    mannequin: bool = True
    """Give motions without a mesh a figure, where the format holds meshes."""
    workers: int | None = None
    """Processes; by default one a core for more than a few files."""
    json: Flag = False
    """Print JSON, one object a source file."""


def convert(*paths: str, options: Annotated[ConvertOptions, Parameter(name="*")]) -> int:
    """Write clips and characters in another format.

    A bad file never stops a batch: it is named at the end, and the exit status is 2.

    Parameters
    ----------
    paths
        Files, folders, .zip archives, or FILE#clip.
    """
    plans = plan_files(paths, options.output, options.to)
    read = {"unit": options.unit, "up": options.up}
    write = {
        "unit": options.to_unit, "up": options.to_up, "order": options.order, "preset": options.preset
    }  # fmt: skip
    how = Conversion(_given(read), _given(write), options.fps, options.mannequin)
    done = []
    for each in track(convert_files(plans, how, options.workers), len(plans), "converting"):
        done.append(each)
        if options.json:
            print_json(asdict(each))
    if not options.json:
        print(summary(done))
    failed = [each for each in done if each.error]
    empty = [each.source for each in done if not each.error and not each.targets]
    for each in failed:
        print(f"moveset: {each.error}", file=sys.stderr)
    if not any(each.targets for each in done):
        do = f"{empty[0]} holds no clip: give files with animations" if empty else "see the messages above"
        raise MovesetError("nothing was written", do=do)
    return 2 if failed else 0


def summary(done: list[Converted]) -> str:
    """What was written and what was noticed, in a few lines."""
    files = [target for each in done for target in each.targets]
    clips, frames = sum(e.clips for e in done if e.targets), sum(e.frames for e in done if e.targets)
    failed = sum(bool(e.error) for e in done)
    empty = sum(not e.error and not e.targets for e in done)
    where = files[0] if len(files) == 1 else count(len(files), "file")
    if len(files) > 1:
        where += f" to {os.path.commonpath(map(os.path.dirname, files)) or '.'}"
    lines = [f"wrote {where}: {count(clips, 'clip')}, {count(frames, 'frame')}"]
    if empty:
        lines[0] += f"; {count(empty, 'file')} without a clip"
    if failed:
        lines[0] += f"; {count(failed, 'file')} failed"
    noticed = Counter((f.severity, f.check, f.message) for e in done for f in e.findings)
    kinds = Counter((severity, check) for severity, check, _ in noticed.elements())
    for (severity, check), times in kinds.most_common():
        example = next(message for s, c, message in noticed if (s, c) == (severity, check))
        lines.append(f"  {severity} {check}: {example}" + (f" (and {times - 1} more)" if times > 1 else ""))
    return "\n".join(lines)


def _given(options: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in options.items() if value is not None}
