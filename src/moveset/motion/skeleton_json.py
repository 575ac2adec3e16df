"""Skeletons as JSON: names, parents, rest pose, roles, tips."""

from __future__ import annotations

import json

import numpy as np

from moveset.motion.skeleton import Skeleton


def skeleton_to_json(skeleton: Skeleton) -> str:
    """One joint a line, so that a person can read and compare it."""
    tips = skeleton.tips
    joints = [
        {
            "name": name,
            "parent": int(skeleton.parents[j]),
            "role": skeleton.roles[j],
            "rotation": skeleton.rest_rotations[j].tolist(),
            "translation": skeleton.rest_translations[j].tolist(),
            "tip": None if tips is None or np.isnan(tips[j]).any() else np.asarray(tips[j]).tolist(),
        }
        for j, name in enumerate(skeleton.names)
    ]
    lines = ",\n".join("  " + json.dumps(joint, ensure_ascii=False) for joint in joints)
    return f'{{"signature": "{skeleton.signature}", "joints": [\n{lines}\n]}}\n'


def skeleton_from_json(text: str) -> Skeleton:
    """The skeleton, numbers exactly as they were."""
    joints = json.loads(text)["joints"]
    tips = [joint["tip"] or (np.nan,) * 3 for joint in joints]
    return Skeleton(
        names=tuple(joint["name"] for joint in joints),
        parents=np.array([joint["parent"] for joint in joints], dtype=np.int64),
        rest_rotations=np.array([joint["rotation"] for joint in joints]),
        rest_translations=np.array([joint["translation"] for joint in joints]),
        roles=tuple(joint["role"] for joint in joints),
        tips=None if all(joint["tip"] is None for joint in joints) else np.array(tips),
    )
