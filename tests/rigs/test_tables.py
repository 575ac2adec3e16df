"""Role tables: every one is well formed and reads its own names, however a file has mangled them."""

from __future__ import annotations

import numpy as np
import pytest

from moveset.geometry import quaternion
from moveset.motion import Skeleton
from moveset.motion.roles import PARENT, is_role
from moveset.rigs.tables import Table, load_tables, match

TABLES = load_tables()


def holder(role: str, names: dict[str, str]) -> str | None:
    """The role that a joint hangs from in a rig with only some roles."""
    side = next((s for s in ("left", "right") if role.startswith(s)), "")
    bare = role.removeprefix(side)
    if bare.startswith(("Thumb", "Index", "Middle", "Ring", "Little")):
        above = side + "Hand"
    elif "Twist" in bare:
        above = side + bare.split("Twist")[0]
    elif bare.endswith("Shoulder"):
        above = "upperChest"
    else:
        above = PARENT.get(role)
    while above is not None and above not in names:
        above = PARENT.get(above)
    return above


def rig_of(table: Table, spell=lambda name: name) -> Skeleton:
    """A rig with all joints of a table."""
    names = {role: spellings[0] for role, spellings in table.names.items()}
    joints, parents = [], []

    def add(role: str) -> None:
        if role in joints:
            return
        above = None if role in table.detached else holder(role, names)
        if above is not None and above != role:
            add(above)
        joints.append(role)
        parents.append(joints.index(above) if above in joints and above != role else -1)

    for role in names:
        add(role)
    spelt = [spell(names[role]) for role in joints]
    keep = [j for j, name in enumerate(spelt) if spelt.index(name) == j]
    number = {j: n for n, j in enumerate(keep)}
    return Skeleton(
        tuple(spelt[j] for j in keep),
        np.array([number.get(parents[j], -1) for j in keep]),
        quaternion.identity((len(keep),)),
        np.zeros((len(keep), 3)),
    )


def test_there_are_all_the_conventions_that_people_meet():
    told = " ".join(table.convention for table in TABLES)
    for name in ("Mixamo", "Unreal 4", "Unreal 5", "Unity", "VRM", "Rigify", "CMU (ASF)", "CMU (Daz", "CMU (MotionB",
                 "Genesis", "SMPL", "KayKit", "Quaternius", "Kenney", "Bandai", "DeepMimic", "MakeHuman", "Neuron",
                 "Rokoko", "Xsens", "Biped", "greenman", "fox", "horse", "OpenDog"):  # fmt: skip
        assert name in told
    assert len({table.convention for table in TABLES}) == len(TABLES)


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.convention)
def test_roles_of_a_table_exist_and_both_sides_have_names_of_their_own(table):
    assert all(is_role(role) for role in table.names), [r for r in table.names if not is_role(r)]
    for role, spellings in table.names.items():
        if role.startswith("left"):
            assert spellings != table.names["right" + role[4:]]
        assert all(spellings) and "{" not in "".join(spellings)


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.convention)
@pytest.mark.parametrize(
    "spell",
    [str, str.upper, lambda n: "actor1:" + n, lambda n: "_".join(n)],
    ids=["as is", "upper", "space", "parted"],
)
def test_a_table_reads_its_own_names(table, spell):
    rig = rig_of(table, spell)
    found = match(rig)
    assert found is not None
    if found.table is not table:  # another convention with the same names: then it must say the same
        assert len(found.roles) >= len(rig) - 2
        shared = found.roles.keys() & table.names.keys()
        assert all(rig.names[found.roles[role]] == spell(table.names[role][0]) for role in shared)
    else:
        assert len(found.roles) == len(rig)


def test_a_limb_in_another_order_is_of_no_convention():
    table = next(t for t in TABLES if t.convention == "Unreal 4 mannequin")
    rig = rig_of(table)
    names = list(rig.names)
    a, b = names.index("thighl"), names.index("footl")
    names[a], names[b] = names[b], names[a]
    assert match(rig) is not None
    found = match(Skeleton(tuple(names), rig.parents, rig.rest_rotations, rig.rest_translations))
    assert found is None or "Unreal" not in found.table.convention


def test_joints_that_double_others_are_not_taken_for_them():
    table = next(t for t in TABLES if t.convention == "MakeHuman BVH")
    rig = rig_of(table)
    doubled = Skeleton(
        (*rig.names, "__UpLeg_L"),
        np.append(rig.parents, 0),
        quaternion.identity((len(rig) + 1,)),
        np.zeros((len(rig) + 1, 3)),
    )
    assert match(doubled).roles["leftUpperLeg"] == rig.names.index("uplegl")
