"""What is noticed about a file: what it leaves unsaid, what was assumed, what is not read."""

from __future__ import annotations

import numpy as np

from moveset.formats.fbx.clips import clip_names
from moveset.formats.fbx.document import Document
from moveset.motion import Finding

_AXES = ("+X", "-X", "+Y", "-Y", "+Z", "-Z", "?")


def about_file(document: Document) -> list[Finding]:
    """Units and axes, what ufbx said, what is not evaluated."""
    header, findings = document.header, []
    if not document.axes_known:
        findings.append(
            Finding("axes_assumed", "info", "", "the file does not say which way is up; +Y is taken")
        )
    elif header["axes"] != [0, 2, 4]:
        right, up, front = (_AXES[axis] for axis in header["axes"])
        message = f"{up} is up, {front} is front, {right} is right in the file; it was turned"
        findings.append(Finding("axes_turned", "info", "", message))
    if not header["unit_stated"]:
        findings.append(
            Finding(
                "unit_assumed",
                "info",
                "",
                "the file does not say its unit; 1 cm is taken",
                value=0.01,
                unit="m",
            )
        )
    if header["constraints"]:
        findings.append(
            Finding(
                "constraints",
                "warning",
                "",
                f"{header['constraints']} constraints are not evaluated",
                advice="bake the animation before export if it hangs on them",
                count=header["constraints"],
            )
        )
    if split := header.get("split"):
        names = ", ".join(document.tree[node]["name"] for node in split[:5])
        findings.append(
            Finding(
                "split_joints",
                "info",
                "",
                f"{len(split)} nodes are scaled unevenly and their children do not inherit that; each became two: {names}",
                advice="turn segment scale compensation off, or scale evenly, to keep the skeleton as it is",
                count=len(split),
            )
        )
    scales = np.abs(document.rest[:, 7:])
    uneven = np.ptp(scales, axis=1) > 1e-3 * scales.max(axis=1)
    above = [i for i in np.flatnonzero(uneven).tolist() if document.children[i]]
    if above:
        names = ", ".join(document.nodes.names[node] for node in above[:5])
        findings.append(
            Finding(
                "uneven_rest_scale",
                "info",
                "",
                f"{len(above)} nodes are scaled unevenly at rest ({names}); what turns below them shears, which is left out",
                advice="apply the scale before export",
                count=len(above),
            )
        )
    for kind, text, count in header["warnings"]:
        findings.append(Finding(f"fbx_{kind}", "info", "", f"{text} ({count} times)", count=count))
    return findings


def about_stacks(document: Document) -> list[Finding]:
    """Ranges and rates that the file does not say, or says against its keys."""
    findings = []
    for stack, name in zip(document.stacks, clip_names(document)):
        if not stack["ranged"]:
            message = f"{name}: the take has no time range; that of its keys is taken"
            findings.append(Finding("range_assumed", "info", name, message))
        if abs(stack["fps"] - document.header["fps"]) > 1e-6:
            message = f"{name}: sampled at {stack['fps']:g} fps, as its keys lie; the file says {document.header['fps']:g}"
            findings.append(Finding("rate_from_keys", "info", name, message, value=stack["fps"], unit="fps"))
        elif stack["beside"]:
            late = stack["beside"] / stack["fps"]
            message = f"{name}: keys lie up to {late * 1000:.1f} ms beside the frames of {stack['fps']:g} fps"
            advice = "sampled at even frames; bake the animation to keep each key"
            findings.append(
                Finding("uneven_keys", "info", name, message, value=late, unit="s", advice=advice)
            )
    return findings


def about_meshes(document: Document, loose: list[int]) -> list[Finding]:
    """Meshes that no joint moves, and deformers that are not read."""
    findings = []
    if loose:
        names = [document.nodes.names[node] for node in loose]
        shown = ", ".join(names[:5]) + (" ..." if len(names) > 5 else "")
        findings.append(
            Finding(
                "loose_meshes",
                "info",
                "",
                f"{len(loose)} meshes hang on no joint and are not part of a character: {shown}",
                advice="parent them to a bone if they belong to it",
                count=len(loose),
            )
        )
    for check, count, what, advice in (
        ("dual_quaternions", sum(m["dual_quaternions"] for m in document.header["meshes"]),
         "skinned with dual quaternions; linear blending is taken", "joints that twist may look thinner"),
        ("second_skin", sum(m["skins"] > 1 for m in document.header["meshes"]),
         "bound twice; the first skin is taken", "bake the others into the mesh"),
        ("geometry_cache", sum(m["caches"] > 0 for m in document.header["meshes"]),
         "driven by a geometry cache, which is not read", "export skins or blend shapes"),
    ):  # fmt: skip
        if count:
            findings.append(
                Finding(check, "warning", "", f"{count} meshes are {what}", advice=advice, count=count)
            )
    return findings
