"""The only room with torch: twins of the maths, models (one a file, config above its model), one training loop for all
of them, export to bundles.

    task.py         what a model must answer to be trained: a batch, its loss, a picture
    draw.py         the chance of a step: a pure function of seed and step
    config.py       how long, how fast, with which seed; what came of it
    loop.py         the loop
    run.py          what changes while it runs, and its folder
    checkpoint.py   its state on disk
    distributed.py  the same loop on several processes
    curves.py       the log and its curves
    data.py         a training set on disk
    export.py       modules as ONNX, compared with torch; graph.py and affine.py make them smaller

The twins (vector, quaternion, rotation6d, transform, kinematics) have the names and the numbers of `geometry` and
`motion.kinematics`, and gradients that are finite everywhere: they are for new losses and tasks. The models that are here
give six numbers a rotation, and the forward kinematics of their losses is most of what a step costs: they use body.py,
which is the same with matrices and the batch on the last axis, in a third of the time under autograd.
"""

from importlib.util import find_spec

from moveset.errors import MovesetError

if _missing := [name for name in ("torch", "onnx", "safetensors") if find_spec(name) is None]:
    raise MovesetError(f"training needs {', '.join(_missing)}", do="pip install 'moveset[learn]'")
