"""Behaviors: what a character can be asked to do each frame.

A behavior is data: the values it takes, how they become a wish that every controller understands, and how they
are read from a clip, so that what a learned controller trains on is what it is asked at run time. To add one,
write its two functions in a file of its own and put it in BEHAVIORS.
"""

from moveset.runtime.behaviors.behavior import Behavior, Placement, Value, Wish
from moveset.runtime.behaviors.place import IDLE, MOVE_TO_TARGET
from moveset.runtime.behaviors.trajectory import FEEDBACK_REACH, FEEDBACK_SECONDS, TRAJECTORY_FOLLOW
from moveset.runtime.behaviors.velocity import VELOCITY_FOLLOW, VELOCITY_HALF_LIFE
from moveset.runtime.behaviors.wander import UNCONTROLLED

BEHAVIORS = {b.name: b for b in (UNCONTROLLED, IDLE, VELOCITY_FOLLOW, TRAJECTORY_FOLLOW, MOVE_TO_TARGET)}

__all__ = [
    "BEHAVIORS",
    "FEEDBACK_REACH",
    "FEEDBACK_SECONDS",
    "IDLE",
    "MOVE_TO_TARGET",
    "TRAJECTORY_FOLLOW",
    "UNCONTROLLED",
    "VELOCITY_FOLLOW",
    "VELOCITY_HALF_LIFE",
    "Behavior",
    "Placement",
    "Value",
    "Wish",
]
