"""Anyone's path, walked: the gait engine for a trajectory that comes from elsewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from moveset.conventions import DEFAULT_FPS
from moveset.errors import MovesetError
from moveset.geometry import signal
from moveset.motion import Annotation, Clip, Tags
from moveset.motion.canonical import Body
from moveset.synthetic import clips, gait, paths
from moveset.synthetic.figure import Figure
from moveset.synthetic.gait import Style
from moveset.synthetic.recipe import LICENSE, SOURCE

_SMOOTH = 0.05


def follow(
    positions: ArrayLike,
    headings: ArrayLike,
    fps: float = DEFAULT_FPS,
    *,
    body: Body | None = None,
    style: Style | None = None,
    seed: int = 0,
    name: str = "follow",
) -> Clip:
    """A body that walks or runs along `positions` (F, 2) x, z [m], facing `headings` (F,) [rad], one sample a frame."""
    places, facing = np.asarray(positions, dtype=float), np.unwrap(np.asarray(headings, dtype=float))
    if places.ndim != 2 or places.shape[1] != 2 or facing.shape != (len(places),) or len(places) < 2:
        raise MovesetError(
            f"a path has shapes {places.shape} and {facing.shape}",
            do="give (F, 2) positions and (F,) headings, two frames or more",
        )
    rate = clips.clock(fps)
    given = np.arange(len(places)) / fps
    times = np.arange(round(given[-1] * rate) + 1) / rate
    columns = [np.interp(times, given, column) for column in (*places.T, facing)]
    x, z, heading = signal.gaussian(np.stack(columns, axis=1), _SMOOTH * rate).T
    path = paths.along(np.stack((x, z), axis=1), heading, rate=rate)
    figure, rng, style = Figure(body), np.random.default_rng(seed), style or Style()
    ride = gait.ride(figure, path, style, rng)
    tags = Tags(
        ("synthetic",), Annotation(motion_type=("Movement",)), license=LICENSE, source=f"{SOURCE}#{name}"
    )
    arms = gait.swinging_arms(ride, style, rng)
    return clips.finish(
        figure, path, ride.trunk, ride.feet, arms, fps=fps, name=name, tags=tags, plan=ride.plan
    )
