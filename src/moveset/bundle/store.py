"""Bundles: what training hands on. Networks as ONNX, all that they need as JSON, and what they stand on.

    NAME.autoencoder/ NAME.controller/ ...
        bundle.json           what it is (docs/bundle.md)
        *.onnx                networks, normalization inside, opset 17, plain operators
        *.npz                 arrays beside them
        weights.safetensors   for further training

A bundle appears whole or not at all. Opening one compares every file with its hash, so what was edited, swapped or
torn is refused by name. Two bundles belong together when they speak of the same latent numbers: networks that take
or give them carry the signature of the autoencoder that made them.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from moveset.bundle.network import Network, told
from moveset.errors import MovesetError
from moveset.features.pose import PoseSpace
from moveset.files import recover, staged, write_whole
from moveset.motion import Skeleton
from moveset.motion.skeleton_json import skeleton_from_json, skeleton_to_json

FORMAT = 1
"""Version of the format that this Moveset writes; it reads this one and all before."""

MANIFEST, WEIGHTS = "bundle.json", "weights.safetensors"

REQUIRED = (
    *("skeleton", "layouts", "networks", "config", "seeds", "data", "stands_on"),
    *("license", "provenance", "measures"),
)
"""What the maker of a bundle has to say in its manifest; empty where there is nothing to say."""

_OUTSIDE_HASH = ("hash", "name", "measures", "provenance")
"""What may change without making it another bundle: its name, what was measured, how long its training took."""


@dataclass(frozen=True, eq=False)
class Bundle:
    """An opened bundle. Its networks and arrays load when they are first asked for."""

    path: Path
    kind: str
    manifest: Mapping[str, Any]
    _networks: dict[tuple[str, int], Network] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """What its maker called it."""
        return self.manifest["name"]

    @property
    def hash(self) -> str:
        """Of all that it is; name, measures and provenance are outside."""
        return self.manifest["hash"]

    @property
    def latent(self) -> str:
        """Signature of the latent numbers it speaks of, empty for none."""
        return self.manifest.get("latent", "")

    @cached_property
    def skeleton(self) -> Skeleton:
        """The skeleton it moves."""
        return skeleton_from_json(json.dumps(self.manifest["skeleton"]))

    @cached_property
    def pose_space(self) -> PoseSpace:
        """Which joints of the skeleton its networks speak of."""
        return PoseSpace.from_json({"skeleton": self.manifest["skeleton"], **self.manifest["pose_space"]})

    @property
    def reference(self) -> dict[str, str]:
        """What a bundle that stands on this one says of it, under its kind, in `stands_on`."""
        return {"name": self.name, "hash": self.hash, "latent": self.latent}

    def network(self, name: str, threads: int = 1) -> Network:
        """One of its networks by file name, opened once."""
        if (name, threads) not in self._networks:
            if name not in self.manifest["networks"]:
                known = ", ".join(self.manifest["networks"]) or "none"
                raise MovesetError(f"it has no network {name}; it has: {known}", file=self.path)
            network = Network((self.path / name).read_bytes(), name, threads)
            _check_latent(network, self.latent, self.path)
            self._networks[name, threads] = network
        return self._networks[name, threads]

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        """The arrays in NAME.npz."""
        if f"{name}.npz" not in self.manifest["files"]:
            raise MovesetError(f"it has no arrays {name!r}", file=self.path)
        with np.load(self.path / f"{name}.npz", allow_pickle=False) as arrays:
            return dict(arrays)

    def weights(self) -> dict[str, np.ndarray]:
        """What further training starts from."""
        if WEIGHTS not in self.manifest["files"]:
            raise MovesetError("it was written without weights to train on", file=self.path)
        from safetensors.numpy import load_file

        return load_file(self.path / WEIGHTS)

    def describe(self, batches: Sequence[int] = (1, 64)) -> list[str]:
        """A line a network: its size, and what a row costs in a batch of each size on one thread here."""
        width = max(map(len, self.manifest["networks"]), default=0)
        lines = []
        for name in self.manifest["networks"]:
            network = self.network(name)
            costs = (
                f"{network.microseconds(n) / n:.1f} us " + ("alone" if n == 1 else f"in {n}") for n in batches
            )
            lines.append(f"{name:<{width}}  {network.kilobytes:,.0f} kB, {', '.join(costs)}")
        return lines


def latent_signature(weights: Mapping[str, np.ndarray]) -> str:
    """Names the latent numbers of an autoencoder with these weights: another training gives another name."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        array = np.ascontiguousarray(weights[name])
        digest.update(f"{name}{array.shape}{array.dtype.str}".encode() + array.tobytes())
    return digest.hexdigest()[:16]


def write_bundle(
    path: str | os.PathLike[str],
    kind: str,
    manifest: Mapping[str, Any],
    networks: Mapping[str, bytes],
    arrays: Mapping[str, Mapping[str, np.ndarray]] | None = None,
    weights: Mapping[str, np.ndarray] | None = None,
) -> Bundle:
    """Write a bundle, in the place of one that may be there, and open it.

    manifest   what REQUIRED names and whatever the kind needs beside it. `skeleton` is a Skeleton or its JSON,
               `pose_space` a PoseSpace of it;
               `networks` says what goes in and comes out: {file: {"inputs": {name: {"unit", "meaning"}},
               "outputs": ...}}, shapes are added here; `stands_on` is {kind: Bundle.reference}; `latent` is the
               `latent_signature` that the networks carry as metadata, where they speak of latents
    networks   file name -> ONNX
    arrays     name -> arrays of NAME.npz
    weights    arrays of weights.safetensors
    """
    target = Path(path)
    missing = [key for key in REQUIRED if key not in manifest]
    if missing:
        raise MovesetError(f"a manifest must say {', '.join(missing)}", file=target)
    refuse_other(target, kind)
    said = {"format": FORMAT, "kind": kind, "name": target.name.removesuffix(f".{kind}"), **_plain(manifest)}
    said["networks"] = {
        name: _schema(Network(model, name), said["networks"].get(name, {}), said.get("latent", ""), target)
        for name, model in networks.items()
    }
    files = dict(networks)
    for name, group in (arrays or {}).items():
        packed = io.BytesIO()
        np.savez(packed, **group)  # pyright: ignore[reportArgumentType]
        files[f"{name}.npz"] = packed.getvalue()
    if weights:
        from safetensors.numpy import save

        files[WEIGHTS] = save({name: np.ascontiguousarray(array) for name, array in weights.items()})
    said["files"] = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}
    said["hash"] = _hash(said)
    recover(target)
    with staged(target) as folder:
        for name, data in files.items():
            (folder / name).write_bytes(data)
        (folder / MANIFEST).write_text(_text(said), encoding="utf-8")
    return open_bundle(target, kind)


def refuse_other(path: str | os.PathLike[str], kind: str) -> None:
    """Raise where something stands that a bundle of `kind` must not take the place of."""
    target = Path(path)
    if not target.exists() and not target.is_symlink():
        return
    if not is_bundle(target):
        raise MovesetError("is there and is no bundle", file=target, do="give another output")
    there = _read_manifest(target)["kind"]
    if there != kind:
        raise MovesetError(
            f"is there and is of kind {there!r}, not {kind!r}", file=target, do="give another output"
        )


def is_bundle(path: str | os.PathLike[str]) -> bool:
    """Whether `path` is a bundle, a sound one or not."""
    return (Path(path) / MANIFEST).is_file()


def open_bundle(path: str | os.PathLike[str], kind: str | None = None) -> Bundle:
    """Open a bundle, of `kind` if given; refuses what is not as it was written, and says what differs."""
    folder = Path(path)
    recover(folder)
    said = _read_manifest(folder)
    if said["format"] not in range(1, FORMAT + 1):
        raise MovesetError(
            f"is a bundle of format {said['format']}; this Moveset reads up to {FORMAT}",
            file=folder,
            do="update Moveset",
        )
    if kind is not None and said["kind"] != kind:
        raise MovesetError(
            f"is of kind {said['kind']!r}, not {kind!r}", file=folder, do=f"give one of kind {kind!r}"
        )
    again = "copy the bundle again, or train and write it anew"
    if _hash(said) != said["hash"]:
        raise MovesetError("was edited after it was written", file=folder / MANIFEST, do=again)
    if (
        not all(isinstance(said[key], dict) for key in ("files", "networks"))
        or said["networks"].keys() - said["files"]
    ):
        raise MovesetError("tells of networks that are not its files", file=folder / MANIFEST, do=again)
    for name, digest in said["files"].items():
        file = folder / name
        if file.parent != folder:
            raise MovesetError(f"tells of a file elsewhere: {name}", file=folder / MANIFEST, do=again)
        if not file.is_file():
            raise MovesetError("the bundle lacks this file", file=file, do=again)
        if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            raise MovesetError("is not the file that the bundle was written with", file=file, do=again)
    return Bundle(folder, said["kind"], said)


def write_measures(bundle: Bundle, measures: Mapping[str, Any]) -> Bundle:
    """Add measures to a bundle on disk: they say how good it is, not what it is."""
    said = {**bundle.manifest, "measures": {**bundle.manifest["measures"], **_plain(measures)}}
    write_whole(bundle.path / MANIFEST, _text(said).encode())
    return Bundle(bundle.path, bundle.kind, said)


def require_on(bundle: Bundle, other: Bundle) -> None:
    """Raise unless `bundle` was trained on `other`, which may be a copy, but not trained again since."""
    below = bundle.manifest["stands_on"].get(other.kind)
    if below is None:
        raise MovesetError(f"stands on no {other.kind}, so not on {other.name!r}", file=bundle.path)
    key = "latent" if below["latent"] else "hash"
    if below[key] != other.reference[key]:
        raise MovesetError(
            f"stands on {other.kind} {below['name']!r} ({key} {below[key][:16]}), "
            f"not on {other.name!r} of {other.path} ({key} {other.reference[key][:16]})",
            file=bundle.path,
            do=f"train it again on this {other.kind}, or give the one it was trained on",
        )


def _read_manifest(folder: Path) -> dict[str, Any]:
    file = folder / MANIFEST
    if not file.is_file():
        what = "is no bundle: it has no bundle.json" if folder.exists() else "there is no such bundle"
        raise MovesetError(what, file=folder, do="give a folder that `moveset train` wrote")
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        do = "copy the bundle again, or train and write it anew"
        raise MovesetError(f"cannot be read: {told(error)}", file=file, do=do) from None
    manifest = said if isinstance(said, dict) else {}
    lacking = [k for k in ("format", "kind", "name", "files", "hash", *REQUIRED) if k not in manifest]
    if lacking:
        raise MovesetError(f"does not say {', '.join(lacking)}", file=file, do="write the bundle anew")
    return manifest


def _schema(network: Network, said: Mapping[str, Any], latent: str, target: Path) -> dict[str, Any]:
    """What goes in and comes out: shapes from the network, units and meanings from what is `said`."""
    _check_latent(network, latent, target)
    schema: dict[str, Any] = {"kilobytes": round(network.kilobytes, 1)}
    for side, ports in (("inputs", network.inputs), ("outputs", network.outputs)):
        meant = said.get(side, {})
        if set(meant) != {port.name for port in ports}:
            names = ", ".join(port.name for port in ports)
            raise MovesetError(
                f"{network.name} has the {side} {names}; the manifest tells of {', '.join(meant) or 'none'}",
                file=target,
                do="say in manifest['networks'] what each is",
            )
        schema[side] = [{"name": p.name, "shape": list(p.shape), **meant[p.name]} for p in ports]
    return {**{k: v for k, v in said.items() if k not in ("inputs", "outputs")}, **schema}


def _check_latent(network: Network, latent: str, file: Path) -> None:
    carried = network.metadata.get("latent", "")
    if carried != latent:
        raise MovesetError(
            f"{network.name} speaks the latents {carried or 'of no autoencoder'}, "
            f"the bundle those {latent or 'of none'}",
            file=file,
            do="train it again on the autoencoder of this bundle",
        )


def _hash(said: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in said.items() if key not in _OUTSIDE_HASH}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def _text(said: Mapping[str, Any]) -> str:
    """One line a value below the second level, so that a person can read and compare it."""
    lines = []
    for key, value in said.items():
        if isinstance(value, dict) and value:
            inner = ",\n".join(
                f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in value.items()
            )
            lines.append(f"{json.dumps(key)}: {{\n{inner}\n }}")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n " + ",\n ".join(lines) + "\n}\n"


def _plain(value: Any) -> Any:
    """As JSON holds it: NaN and infinities become null, which every engine's reader takes."""
    if isinstance(value, Skeleton):
        return json.loads(skeleton_to_json(value))
    if isinstance(value, PoseSpace):
        return {
            key: inner for key, inner in value.to_json().items() if key != "skeleton"
        }  # it is there already
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, os.PathLike) else value
