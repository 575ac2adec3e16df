"""An evaluation of an autoencoder as JSON, as text, and as an HTML page that opens from disk."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np

from moveset.bundle import Bundle
from moveset.features.principal import without_root_block
from moveset.files import write_whole
from moveset.learn.data import TrainingSet
from moveset.learn.pictures import beside_truth
from moveset.render.encode import as_png
from moveset.workflows.evaluation.autoencoder import AutoencoderEvaluation, WorstClip, coder
from moveset.workflows.page import page, picture, section, table

_AROUND = (-8, -4, 0, 4, 8)
"""Frames around the worst one of a clip that are drawn."""
_PICTURED = 3


def as_json(evaluation: AutoencoderEvaluation) -> dict[str, object]:
    """Plain data, in metres and radians; null where there is no number."""
    text = json.dumps(asdict(evaluation))
    return json.loads(text, parse_constant=lambda name: None)


def as_text(evaluation: AutoencoderEvaluation) -> str:
    """A few lines for a terminal."""
    lines = [_about(evaluation)]
    head, *rows = _main_rows(evaluation)
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    lines += ["  ".join(f"{c:<{w}}" if k == 0 else f"{c:>{w}}" for k, (c, w) in enumerate(zip(row, widths))) for row in (head, *rows)]  # fmt: skip
    worst = list(evaluation.codings[0].joints.items())[:4]
    lines.append("worst joints: " + ", ".join(f"{name} {1000 * mean:.1f} mm" for name, (mean, _, _) in worst))
    lines += [f"worst clip: {_of_clip(clip)}" for clip in evaluation.codings[0].clips[:1]]
    lines.append(_latents(evaluation))
    lines += [f"{name}: {_cost(cost)}" for name, cost in evaluation.networks.items()]
    return "\n".join(lines)


def write_page(
    evaluation: AutoencoderEvaluation, bundle: Bundle, training: TrainingSet, path: str | Path
) -> None:
    """Write the HTML page; its worst clips are drawn, truth above and decoded below."""
    own = evaluation.codings[0]
    head, *rows = _main_rows(evaluation)
    joints = [
        (html.escape(name), f"{1000 * mean:.2f}", f"{1000 * p99:.1f}", f"{math.degrees(angle):.2f}")
        for name, (mean, p99, angle) in own.joints.items()
    ]
    costs = [(html.escape(name), _cost(cost)) for name, cost in evaluation.networks.items()]
    parts = [
        f"<p>{html.escape(_about(evaluation))}</p>",
        section("Held-out clips", table(head, rows)),
        section("Worst clips", "".join(_figure(clip, bundle, training) for clip in own.clips[:_PICTURED])),
        section("Joints", table(("", "mean mm", "p99 mm", "mean degrees"), joints)),
        section("Latents", f"<p>{html.escape(_latents(evaluation))}</p>"),
        section("Cost on one thread of this machine", table(("", ""), costs)) if costs else "",
    ]
    write_whole(path, page(f"autoencoder {evaluation.bundle}", parts))


def _about(evaluation: AutoencoderEvaluation) -> str:
    text = (
        f"{evaluation.clips:,} held-out clips, {evaluation.frames:,} frames, {evaluation.joints} joints, "
        f"{evaluation.codings[0].latents} latents; on frames that it was trained on {1000 * evaluation.seen:.2f} mm"
    )
    return text if evaluation.same_set else f"{text}; another set than it was trained on"


def _main_rows(evaluation: AutoencoderEvaluation) -> list[tuple[str, ...]]:
    rows = [("", "mean mm", "p99 mm", "mean degrees", "p99 degrees", "contacts F1", "right %")]
    for c in evaluation.codings:
        millimetres = (f"{1000 * c.mean:.2f}", f"{1000 * c.p99:.1f}")
        degrees = (f"{math.degrees(c.angle):.2f}", f"{math.degrees(c.angle_p99):.1f}")
        rows.append(
            (c.name, *millimetres, *degrees, f"{c.contact_f1:.3f}", f"{100 * c.contact_accuracy:.1f}")
        )
    return rows


def _of_clip(clip: WorstClip) -> str:
    return (
        f"{clip.name}, mean {1000 * clip.mean:.1f} mm, p99 {1000 * clip.p99:.1f} mm, "
        f"worst in frame {clip.frame}: {clip.joint} by {1000 * clip.error:.0f} mm"
    )


def _latents(evaluation: AutoencoderEvaluation) -> str:
    facts = evaluation.latents
    return (
        f"latents of these frames: deviation {facts.deviation[0]:.2f} to {facts.deviation[1]:.2f}, "
        f"the furthest at {facts.furthest:.1f}; from frame to frame they step by {facts.step[0]:.2f} to "
        f"{facts.step[2]:.2f} (median {facts.step[1]:.2f}); largest correlation of two {facts.correlation:.2f}"
    )


def _cost(cost: Mapping[str, float]) -> str:
    return f"{cost['kilobytes']:,.0f} kB, {cost['microseconds']:.0f} us alone, {cost['microseconds_in_64']:.1f} us in 64"


def _figure(clip: WorstClip, bundle: Bundle, training: TrainingSet) -> str:
    view = training.view
    last = int(view.starts[np.searchsorted(view.starts, clip.row, side="right")]) - 1
    rows = np.unique(np.clip(clip.row + clip.frame + np.array(_AROUND), clip.row, last))
    truth = np.array(view.features[rows])
    drawn = beside_truth(bundle.pose_space, truth, decoded_vectors(bundle, truth))
    return picture(as_png(drawn), "png", "Truth above, decoded below", _of_clip(clip))


def decoded_vectors(bundle: Bundle, vectors: np.ndarray) -> np.ndarray:
    """Pose vectors (F, D) with what a bundle's networks make of rotations, translations and contacts."""
    encode, decode = coder(bundle)
    layout = bundle.pose_space.layout
    blocks = {name: np.array(block) for name, block in layout.unpack(vectors).items()}
    latents = encode(without_root_block(vectors, layout))
    blocks["rotations"], blocks["translations"], blocks["contacts"] = decode(latents)
    return layout.pack(blocks)
