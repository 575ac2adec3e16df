"""Poses on disk: plain .npy files a skeleton, appended clip by clip and read through the page cache.

    poses/SIGNATURE.rotations.npy      (R, J, 4) float32 local rotations of all clips of the skeleton
    poses/SIGNATURE.contacts.npy       (R, K) bool, K foot roles that the skeleton has
    poses/SIGNATURE.translations.npy   (X, 3) float32: per clip the tracks of the joints that move, frame by frame
    poses/SIGNATURE.scales.npy         the same for scales
    poses/SIGNATURE.constants.npy      (Y, J, 3) float32: per clip the first translations; then, if it has any, scales
    poses/SIGNATURE.json               where each clip starts in them, and which of its joints move

R counts frames; a clip is rows `start` to `start + frames`. Most joints never leave their place, so storing only
those that do takes about a third off the size.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import numpy as np

from moveset.geometry.quaternion import Array
from moveset.motion import Clip, Contacts, Skeleton
from moveset.motion.contacts import feet


class ArrayFile:
    """An .npy file that grows row by row; it is valid once closed."""

    def __init__(self, path: Path, row: tuple[int, ...], dtype: type) -> None:
        self.rows, self._row, self._dtype = 0, row, np.dtype(dtype)
        self._file = path.open("wb")
        self._write_header()

    def append(self, array: np.ndarray) -> int:
        """Add rows (R, *row); returns the number of the first."""
        array = np.ascontiguousarray(array, dtype=self._dtype)
        if array.shape[1:] != self._row:
            array = array.reshape(-1, *self._row)
        self._file.write(array.tobytes())
        first, self.rows = self.rows, self.rows + len(array)
        return first

    def close(self) -> None:
        """Write the number of rows into the header, where NumPy leaves room for a longer number."""
        self._file.seek(0)
        self._write_header()
        self._file.close()

    def _write_header(self) -> None:
        descr, shape = np.lib.format.dtype_to_descr(self._dtype), (self.rows, *self._row)
        header = {"descr": descr, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._file, header)


class PoseWriter:
    """Appends the clips of one skeleton."""

    def __init__(self, folder: Path, skeleton: Skeleton) -> None:
        self._folder, self._skeleton = folder, skeleton
        self._index: dict[str, dict] = {}
        joints = len(skeleton)
        self._files = {
            "rotations": ArrayFile(self._path("rotations.npy"), (joints, 4), np.float32),
            "contacts": ArrayFile(self._path("contacts.npy"), (len(feet(skeleton)),), np.bool_),
            "translations": ArrayFile(self._path("translations.npy"), (3,), np.float32),
            "scales": ArrayFile(self._path("scales.npy"), (3,), np.float32),
            "constants": ArrayFile(self._path("constants.npy"), (joints, 3), np.float32),
        }

    def append(self, id: str, clip: Clip) -> int:
        """Add a clip with contacts; returns its first row."""
        assert clip.contacts is not None and clip.contacts.roles == feet(self._skeleton)
        self._files["contacts"].append(clip.contacts.flags)
        start = self._files["rotations"].append(clip.rotations)
        entry = {
            "start": start,
            "frames": len(clip),
            "translations": self._tracks("translations", clip.translations),
        }
        if clip.scales is not None:
            entry["scales"] = self._tracks("scales", clip.scales)
        self._index[id] = entry
        return start

    def close(self) -> None:
        """Finish the files and write the index."""
        for file in self._files.values():
            file.close()
        self._path("json").write_text(json.dumps(self._index, separators=(",", ":")))

    def _tracks(self, name: str, tracks: Array) -> dict:
        tracks = np.asarray(tracks, dtype=np.float32)
        moving = np.flatnonzero((tracks != tracks[:1]).any(axis=(0, 2)))
        return {
            "constants": self._files["constants"].append(tracks[0]),
            "start": self._files[name].append(tracks[:, moving]),
            "moving": moving.tolist(),
        }

    def _path(self, suffix: str) -> Path:
        return self._folder / f"{self._skeleton.signature}.{suffix}"


class PoseReader:
    """Reads the clips of one skeleton; arrays are memory-mapped when first used."""

    def __init__(self, folder: Path, signature: str, skeleton: Skeleton) -> None:
        self._folder, self._signature, self.skeleton = folder, signature, skeleton

    @cached_property
    def index(self) -> Mapping[str, dict]:
        """Where each clip starts, by id."""
        return json.loads((self._folder / f"{self._signature}.json").read_text())

    @cached_property
    def rotations(self) -> Array:
        """(R, J, 4) of all clips."""
        return self._map("rotations")

    @cached_property
    def contacts(self) -> np.ndarray:
        """(R, K) of all clips, K = len(motion.contacts.feet(skeleton))."""
        return self._map("contacts")

    @cached_property
    def _parts(self) -> Mapping[str, Array]:
        return {name: self._map(name) for name in ("translations", "scales", "constants")}

    def read(self, id: str, fps: float, name: str) -> Clip:
        """The clip's poses and contacts, float32 as stored; rotations are a view of the file."""
        entry = self.index[id]
        rows = slice(entry["start"], entry["start"] + entry["frames"])
        return Clip(
            self.skeleton,
            rotations=self.rotations[rows],
            translations=self._full("translations", entry),
            scales=self._full("scales", entry) if "scales" in entry else None,
            fps=fps,
            name=name,
            contacts=Contacts(feet(self.skeleton), self.contacts[rows]),
        )

    def _full(self, name: str, entry: dict) -> Array:
        frames, part = entry["frames"], entry[name]
        constant = np.broadcast_to(
            self._parts["constants"][part["constants"]], (frames, len(self.skeleton), 3)
        )
        if not (count := len(part["moving"])):
            return constant
        tracks = constant.copy()
        moving = self._parts[name][part["start"] : part["start"] + frames * count]
        tracks[:, part["moving"]] = moving.reshape(frames, count, 3)
        return tracks

    def _map(self, name: str) -> np.ndarray:
        path = self._folder / f"{self._signature}.{name}.npy"
        # an empty file cannot be mapped
        array = np.load(path, mmap_mode="r") if path.stat().st_size > _HEADER else np.load(path)
        return array.view(np.ndarray)


_HEADER = 128
"""Bytes of an .npy header as ArrayFile writes it."""
