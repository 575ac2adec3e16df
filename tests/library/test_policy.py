import numpy as np
import pytest
from strolls import stroll

from moveset.errors import MovesetError
from moveset.library.policy import DEFAULT_ACTIONS, Policy, apply_policy, read_policy
from moveset.library.settings import new_settings, read_settings, with_policy, with_sources
from moveset.motion import Finding


def found(check: str, severity: str = "warning") -> Finding:
    return Finding(check, severity, "stroll", "something")


def test_a_policy_is_laid_over_the_default_one():
    policy = read_policy('fps = 60\n[actions]\nfoot_skate = "drop"\nnot_unit = "keep"\n')
    assert policy.fps == 60
    assert policy.actions["foot_skate"] == "drop"
    assert policy.actions["not_unit"] == "keep"
    assert policy.actions["not_finite"] == DEFAULT_ACTIONS["not_finite"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("fbs = 30", "unknown field 'fbs' -- the fields are fps, held_out"),
        ("fps = -1", "fps is -1 -- give 0.1 to 1000, or 0"),
        ("fps = nan", "fps is nan"),
        ("fps = 1e9", "fps is 1e\\+09"),
        ("held_out = 1", "from 0 to below 1"),
        ("split = 'x'", "say hash or sidecar"),
        ("[actions]\npops = 'mend'", "pops = 'mend'"),
        ("[actions]\npops = 'repair'", "nothing repairs 'pops'"),
        ("fps = ", "not TOML"),
    ],
)
def test_a_wrong_policy_is_refused(text, says):
    with pytest.raises(MovesetError, match=says) as caught:
        read_policy(text, "strict.toml")
    assert str(caught.value).startswith("strict.toml: ")


def test_a_clip_is_dropped_for_one_reason_and_the_others_stand_aside():
    kept, done = apply_policy(
        stroll(), [found("pops"), found("additive", "error"), found("sign_flips")], Policy()
    )
    assert kept is None
    assert [action for _, action in done] == ["none", "drop", "none"]


def test_a_name_that_looks_additive_drops_nothing():
    clip = stroll()
    kept, done = apply_policy(clip, [found("additive", "info")], Policy())
    assert kept is clip
    assert [action for _, action in done] == ["keep"]


def test_the_t_pose_goes_first_then_the_held_ends():
    clip = stroll(frames=90)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[1:20], translations[1:20] = rotations[20], translations[20]
    rotations[80:], translations[80:] = rotations[79], translations[79]
    held = type(clip)(clip.skeleton, rotations, translations, clip.fps, "held")
    kept, done = apply_policy(held, [found("first_frame_t_pose"), found("frozen", "info")], Policy())
    assert [action for _, action in done] == ["repair", "repair"]
    assert np.array_equal(kept.rotations, rotations[20:80])


def test_a_freeze_in_the_middle_is_kept_and_said_so():
    clip = stroll(frames=90)
    rotations = clip.rotations.copy()
    translations = clip.translations.copy()
    rotations[30:60], translations[30:60] = rotations[30], translations[30]
    frozen = type(clip)(clip.skeleton, rotations, translations, clip.fps, "frozen")
    kept, done = apply_policy(frozen, [found("frozen")], Policy())
    assert kept is frozen
    assert [action for _, action in done] == ["keep"]


def test_library_toml_comes_back_as_it_was_said(tmp_path):
    file = tmp_path / "library.toml"
    settings = new_settings("a.library", ["clips", 'od"d/ü.zip'], Policy(fps=24, license='say "so"'))
    file.write_text(settings.text, encoding="utf-8")
    assert read_settings(file) == settings
    file.write_text(settings.text + "\n[[overrides]]\nfile = 'x'\ndrop = true\n# last\n", encoding="utf-8")
    changed = with_sources(with_policy(read_settings(file), Policy(fps=50)), ["other"])
    file.write_text(changed.text, encoding="utf-8")
    again = read_settings(file)
    assert again == changed
    assert (again.sources, again.policy.fps, again.overrides) == (
        ("other",),
        50,
        ({"file": "x", "drop": True},),
    )
    assert changed.text.endswith("# last\n")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[overrides]]\ndrop = true", "names no file"),
        ("[[overrides]]\nfile = 'x'\ntag = ['a']", "unknown field 'tag'"),
        ("[policy]\nfbs = 1", "unknown field 'fbs'"),
        ("sources = [", "not TOML"),
    ],
)
def test_a_wrong_library_toml_is_refused(tmp_path, text, says):
    file = tmp_path / "library.toml"
    file.write_text(text)
    with pytest.raises(MovesetError, match=says):
        read_settings(file)


def test_a_check_that_compares_clips_cannot_drop_one():
    with pytest.raises(MovesetError, match="'duplicates' compares clips"):
        Policy(actions={"duplicates": "drop"})
