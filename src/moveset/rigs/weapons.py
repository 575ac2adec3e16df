"""Simple weapons for the mannequin's hand, so that a strike reads as one."""

from __future__ import annotations

from moveset.conventions import FORWARD, UP
from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.motion import Skeleton
from moveset.rigs.loft import Figure, Ring, aim
from moveset.rigs.palette import GRIP, STEEL

WEAPONS = {
    # blade length, blade half width, grip length, guard half width [m]
    "sword": (0.78, 0.024, 0.15, 0.09),
    "greatsword": (1.15, 0.034, 0.32, 0.13),
    "dagger": (0.28, 0.016, 0.11, 0.04),
    "staff": (0.0, 0.0, 1.70, 0.0),
}


def add_weapon(figure: Figure, skeleton: Skeleton, positions: Array, name: str) -> None:
    """Put a weapon at the right socket (or the right hand); on a T-pose its blade points ahead."""
    if name not in WEAPONS:
        raise MovesetError(f"no weapon is called {name!r}", do=f"take one of {', '.join(WEAPONS)}")
    roles = skeleton.by_role
    joint = roles.get("rightProp", roles.get("rightHand"))
    if joint is None:
        raise MovesetError("the skeleton has no right hand to hold a weapon", do="leave the weapon out")
    blade, width, grip, guard = WEAPONS[name]
    hold = [(0.0, {int(joint): 1.0})]
    back = grip / 2 if name == "staff" else grip - 0.06
    handle = aim(positions[joint] - back * FORWARD, FORWARD, UP)
    figure.tube(GRIP, handle, grip, [Ring(0, 0.014, 0.014), Ring(1, 0.014, 0.014)], hold, columns=10, rows=6)
    if not blade:
        return
    figure.ball(STEEL, handle.origin, 0.022, {int(joint): 1.0}, columns=10, rows=6)
    base = positions[joint] + 0.06 * FORWARD
    across = aim(base - guard * UP, UP, FORWARD)
    figure.tube(
        STEEL,
        across,
        2 * guard,
        [Ring(0, 0.013, 0.016), Ring(1, 0.013, 0.016)],
        hold,
        columns=8,
        rows=6,
        square=3,
    )
    # edge up and down on the T-pose: it leads when the arm swings
    rings = [Ring(0.0, 0.0055, width), Ring(0.85, 0.0045, 0.8 * width), Ring(1.0, 0.002, 0.1 * width)]
    figure.tube(STEEL, aim(base, FORWARD, UP), blade, rings, hold, columns=8, rows=10, square=1.2)
