from dataclasses import fields

import pytest

from moveset.errors import MovesetError
from moveset.motion import Annotation
from moveset.words import check, problems, vocabulary


def test_the_fields_of_the_vocabulary_are_the_fields_of_an_annotation():
    assert list(vocabulary()) == [field.name for field in fields(Annotation)]


def test_words_are_unique_and_trimmed():
    for field in vocabulary().values():
        assert len(set(field.words)) == len(field.words)
        assert all(word == word.strip() and word for word in field.words)


def test_only_the_posture_is_a_free_sentence():
    assert [name for name, field in vocabulary().items() if not field.words] == ["posture"]


def test_known_words_pass():
    annotation = Annotation(
        motion_type=("Idle",), speed=("Slow", "Cleanly"), posture="Anything may be said here."
    )
    assert check(annotation) is annotation


def test_an_unknown_word_is_named_with_the_nearest_known_one():
    assert problems(Annotation(weapon_type=("Katanna",))) == [
        "weapon_type has no word 'Katanna'; the nearest is 'Katana'"
    ]
    with pytest.raises(MovesetError, match="direction has no word 'Up'"):
        check(Annotation(direction=("Up",)))
