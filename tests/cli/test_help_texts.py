"""What `--help` shows of every verb."""

import pytest

from moveset.cli import VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_help_offers_no_option_that_empties_a_value(moveset, verb):
    shown = moveset(verb, "--help").out
    assert f"moveset {verb}" in shown
    assert "--empty-" not in shown
