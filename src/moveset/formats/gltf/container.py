"""The outside of a glTF file: GLB chunks, JSON, version, data URIs."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from urllib.parse import unquote, unquote_to_bytes

import orjson

from moveset.errors import MovesetError

MAGIC = b"glTF"
_JSON, _BIN = 0x4E4F534A, 0x004E4942


def split(data: bytes, path: str) -> tuple[dict, memoryview | None]:
    """JSON and the binary chunk (None where there is none) of a .glb or .gltf, told apart by its first bytes."""
    if data[:4] == MAGIC:
        text, binary = _chunks(data, path)
    else:
        text, binary = memoryview(data), None
    document = _parse(text, path)
    _check_version(document, path)
    return document, binary


def join(document: dict, binary: bytes | bytearray) -> bytes:
    """A .glb of JSON and one binary chunk: the inverse of `split`."""
    text = _serialize(document)
    text += b" " * (-len(text) % 4)
    chunks = [struct.pack("<II", len(text), _JSON), text]
    if binary:
        chunks += [
            struct.pack("<II", len(binary) + -len(binary) % 4, _BIN),
            binary,
            b"\0" * (-len(binary) % 4),
        ]
    return b"".join([MAGIC, struct.pack("<II", 2, 12 + sum(map(len, chunks))), *chunks])


def join_text(document: dict, binary: bytes | bytearray) -> bytes:
    """A .gltf with its one buffer embedded as a data URI."""
    if binary:
        uri = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
        document = document | {"buffers": [document["buffers"][0] | {"uri": uri}]}
    return _serialize(document, orjson.OPT_INDENT_2)


def data_uri(uri: str) -> bytes | None:
    """Bytes of a data URI; None for any other URI."""
    if not uri.startswith("data:"):
        return None
    head, _, body = uri.partition(",")
    if not head.endswith(";base64"):
        return unquote_to_bytes(body)
    try:
        return base64.b64decode(unquote(body) if "%" in body else body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise MovesetError(f"a data URI is not valid base64: {error}", do="export the file again") from None


def file_name(uri: str) -> str:
    """Relative path that a URI names."""
    if "://" in uri or uri.startswith(("/", "\\", "file:")):
        raise MovesetError(
            f"{uri[:80]!r} is not a relative path", do="put the file beside the glTF and export again"
        )
    return unquote(uri)


def _chunks(data: bytes, path: str) -> tuple[memoryview, memoryview | None]:
    if len(data) < 20:
        raise MovesetError("the file ends inside the GLB header", file=path, do="copy or export it again")
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise MovesetError(
            f"GLB container version {version}; version 2 is read",
            file=path,
            do="convert the file to glTF 2.0, for example by importing and exporting it with Blender",
        )
    if length > len(data):
        raise MovesetError(
            f"the header says {length} bytes, the file has {len(data)}: it is cut short",
            file=path,
            do="copy or export it again",
        )
    view, offset = memoryview(data), 12
    chunks: list[tuple[int, memoryview]] = []
    while offset + 8 <= length:
        size, kind = struct.unpack_from("<II", data, offset)
        if offset + 8 + size > length:
            raise MovesetError(
                f"chunk {len(chunks)} says {size} bytes, {length - offset - 8} are left",
                file=path,
                do="export the file again",
            )
        chunks.append((kind, view[offset + 8 : offset + 8 + size]))
        offset += 8 + size
    if not chunks or chunks[0][0] != _JSON:
        raise MovesetError("the first GLB chunk is not JSON", file=path, do="export the file again")
    binary = chunks[1][1] if len(chunks) > 1 and chunks[1][0] == _BIN else None
    return chunks[0][1], binary


def _parse(text: memoryview, path: str) -> dict:
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError:
        document = _parse_leniently(bytes(text), path)
    if not isinstance(document, dict):
        raise MovesetError(
            "the JSON is not an object", file=path, do="check that it is a glTF file; export it again"
        )
    return document


def _parse_leniently(text: bytes, path: str) -> object:
    """What orjson refuses: a byte order mark and half a surrogate pair are read, all else is named."""
    try:
        return json.loads(text.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise MovesetError(
            f"not UTF-8 text at byte {error.start}", file=path, do="export the file again"
        ) from None
    except json.JSONDecodeError as error:
        raise MovesetError(
            f"not JSON: {error.msg}", file=path, where=f"line {error.lineno}", do="export the file again"
        ) from None
    except (RecursionError, ValueError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise MovesetError(f"not valid JSON: {reason}", file=path, do="export the file again") from None


def _check_version(document: dict, path: str) -> None:
    asset = document.get("asset")
    version = asset.get("version") if isinstance(asset, dict) else None
    old_layout = any(isinstance(document.get(table), dict) for table in ("nodes", "meshes", "accessors"))
    if version is None and not old_layout:
        raise MovesetError(
            "no asset.version, which every glTF file must have", file=path, do="export it as glTF 2.0"
        )
    if version is None or not str(version).startswith("2."):
        named = f"glTF {version}" if version is not None else "a glTF 0.8 or 1.0 layout"
        raise MovesetError(
            f"{named}; glTF 2.0 is read",
            file=path,
            do="convert the file to glTF 2.0, for example by importing and exporting it with Blender",
        )


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _serialize(document: dict, option: int | None = None) -> bytes:
    try:
        return orjson.dumps(document, option=option)
    except orjson.JSONEncodeError:  # deep nesting or half a surrogate pair in what the file brought along
        pass
    try:
        return json.dumps(document, allow_nan=False).encode()
    except RecursionError:
        raise MovesetError(
            "extras are nested too deeply to be written", do="leave them out of the character's file"
        ) from None
