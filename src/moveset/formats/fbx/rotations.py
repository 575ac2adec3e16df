"""Rotations that ufbx 0.0.5 evaluates otherwise than the programs that wrote them, put right.

- A node whose rotation space is not active has neither pre- nor post-rotation, and its angles go X, Y, Z.
- Maya blends rotations of animation layers as rotations in the order X, Y, Z, whatever the order of the node, whose
  angles the blended ones then are. ufbx blends in the order of the node. (`maya_anim_layers_over_acc_orders` of
  ufbx's own data: Maya's vertices are met in all six orders this way, in XYZ alone the other.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import ufbx

from moveset.formats.fbx.kept import keep, keep_all
from moveset.geometry import euler, quaternion

_XYZ = ufbx.RotationOrder.XYZ
_NAMES = ("PreRotation", "PostRotation", "RotationPivot", "ScalingOffset", "ScalingPivot")


class Rotations:
    """Looks after the nodes of one scene."""

    def __init__(self, nodes: Sequence[ufbx.Node]) -> None:
        self._nodes = nodes
        self._inactive = {i for i, node in enumerate(nodes) if i and _is_inactive(node)}

    def at_rest(self, number: int, local: np.ndarray) -> np.ndarray:
        """`local` (10) of a node as ufbx has it, put right."""
        if number not in self._inactive:
            return local
        return self._with_angles(number, local[None], np.array([self._nodes[number].euler_rotation]))[0]

    def in_stack(
        self, number: int, layers: list[ufbx.AnimLayer], times: list[float], local: np.ndarray
    ) -> np.ndarray:
        """`local` (F, 10) of a node at `times`, put right."""
        node = self._nodes[number]
        blended = _blend(node, layers)
        reordered = node.rotation_order not in (_XYZ, ufbx.RotationOrder.SPHERIC) and any(
            layer.compose_rotation and layer.blended for layer, _, _ in blended[1:]
        )
        if number not in self._inactive and not reordered:
            return local
        return self._with_angles(number, local, _angles(node, blended, times))

    def _with_angles(self, number: int, local: np.ndarray, angles: np.ndarray) -> np.ndarray:
        """`local` (F, 10) with the rotations of `angles` (F, 3) [degrees] in place of its own: pivots move with them."""
        node = self._nodes[number]
        before, after, pivot, scaling_offset, scaling_pivot = (_vector(node, name) for name in _NAMES)
        if number in self._inactive:
            turned = _quaternion(angles, _XYZ)
        else:
            turned = quaternion.multiply(_quaternion(before, _XYZ), _quaternion(angles, node.rotation_order))
            turned = quaternion.multiply(turned, quaternion.conjugate(_quaternion(after, _XYZ)))
        arm = scaling_offset + scaling_pivot - local[:, 7:] * scaling_pivot - pivot
        moved = quaternion.rotate(turned, arm) - quaternion.rotate(local[:, 3:7], arm)
        return np.concatenate((local[:, :3] + moved, turned, local[:, 7:]), axis=1)


def _quaternion(angles: np.ndarray, order: ufbx.RotationOrder) -> np.ndarray:
    """(..., 4) of angles (..., 3) about X, Y, Z [degrees] in an order of fixed axes."""
    axes = [("XYZ").index(axis) for axis in order.name]
    return euler.to_quaternion(np.deg2rad(angles[..., axes]), order.name, "extrinsic")


_Layer = tuple[ufbx.AnimLayer, ufbx.AnimValue, ufbx.AnimValue | None]


def _blend(node: ufbx.Node, layers: list[ufbx.AnimLayer]) -> list[_Layer]:
    """Layers that turn a node, the lowest first: with the value of its angles, and of the layer's own weight."""
    found = []
    for layer in layers:
        turning = keep(layer.find_anim_prop(node, "Lcl Rotation"))  # type: ignore[arg-type]
        if turning is not None:
            weight = None
            if layer.weight_is_animated:
                weight = next(
                    (keep(p.anim_value) for p in keep_all(layer.anim_props) if p.prop_name == "Weight"), None
                )
            found.append((layer, keep(turning.anim_value), weight))
    return found


def _angles(node: ufbx.Node, blended: list[_Layer], times: list[float]) -> np.ndarray:
    """(F, 3) angles of a node [degrees] blended as Maya does."""
    result = np.tile(np.array(node.euler_rotation), (len(times), 1))
    for i, (layer, value, weight_value) in enumerate(blended):
        angles = np.array([ufbx.evaluate_anim_value_vec3(value, time) for time in times])
        weight = np.full(len(times), layer.weight)
        if weight_value is not None:
            percent = [ufbx.evaluate_anim_value_real(weight_value, time) for time in times]
            weight = np.clip(np.array(percent) / 100, 0, 1)
        if i == 0 or not (layer.additive or layer.blended):
            result = angles
        elif layer.compose_rotation:
            under, over = _quaternion(result, _XYZ), _quaternion(angles, _XYZ)
            start = quaternion.identity(under.shape[:-1]) if layer.additive else under
            over = quaternion.slerp(start, over, weight)
            turned = quaternion.multiply(under, over) if layer.additive else over
            result = np.rad2deg(euler.from_quaternion(turned, "XYZ", "extrinsic"))
        else:
            kept = 1.0 if layer.additive else 1 - weight[:, None]
            result = result * kept + angles * weight[:, None]
    return result


def _is_inactive(node: ufbx.Node) -> bool:
    """Whether a node has a rotation space that it does not use."""
    props = keep(node.props)
    if ufbx.find_int(props, "RotationActive", 1) and not ufbx.find_int(props, "RotationSpaceForLimitOnly", 0):
        return False
    turned = any(_vector(node, name).any() for name in _NAMES[:2])
    return turned or node.rotation_order not in (_XYZ, ufbx.RotationOrder.SPHERIC)


def _vector(node: ufbx.Node, name: str) -> np.ndarray:
    prop = keep(ufbx.find_prop(keep(node.props), name))
    return np.zeros(3) if prop is None else np.array(tuple(prop.value_vec4)[:3])
