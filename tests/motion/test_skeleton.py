"""The tree of joints."""

from __future__ import annotations

import numpy as np

from moveset.geometry import quaternion
from moveset.motion import Skeleton

#   a        d
#  / \       |
# b   c      f
#     |
#     e
TREE = Skeleton(tuple("abcdef"), np.array([-1, 0, 0, -1, 2, 3]), quaternion.identity((6,)), np.ones((6, 3)))


def test_depth_first_nests_like_braces():
    assert [TREE.names[j] for j in TREE.depth_first] == list("abcedf")


def test_lineage_goes_up_to_the_root():
    assert [TREE.names[j] for j in TREE.lineage(4)] == list("eca")
    assert TREE.lineage(3) == [3]


def test_children_and_roots():
    assert TREE.children == ((1, 2), (), (4,), (5,), (), ())
    assert TREE.roots == (0, 3)
