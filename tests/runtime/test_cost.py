"""What a controller costs, and what of it is its networks'."""

from __future__ import annotations

import time

from handmade import handmade
from moveset.runtime.controller import character_seeds
from moveset.runtime.evaluation.cost import measure_cost
from moveset.runtime.learned import LearnedController


def busy(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_networks_are_not_counted_beside_them():
    slow = LearnedController(handmade())

    def slower(network):
        def call(**inputs):
            busy(2e-3)
            return network(**inputs)

        return call

    cost = measure_cost(slow.with_networks(slower), 1)
    assert cost["all"] > cost["controller"] > 2000
    assert cost["beside"] < 1500


def test_motion_matching_has_no_networks(matching):
    assert set(measure_cost(matching, 1)) == {"all", "controller"}


def test_watched_networks_are_those_of_a_copy():
    controller, seen = LearnedController(handmade()), []

    def watch(network):
        def call(**inputs):
            seen.append(sorted(inputs))
            return network(**inputs)

        return call

    watched = controller.with_networks(watch)
    state = watched.start(character_seeds(0, 2))
    assert (state.context == controller.start(character_seeds(0, 2)).context).all()
    controller.foot_lock()
    assert not seen
    watched.foot_lock()
    assert seen == [["state"]]
