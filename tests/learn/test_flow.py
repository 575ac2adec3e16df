"""Flow matching, mean flow and their students: on distributions that are known, and on a small training set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from moveset.bundle import Network
from moveset.learn.data import TrainingSet, open_training_set
from moveset.learn.draw import Draw, seeded
from moveset.learn.export import check_onnx, to_onnx
from moveset.learn.loop import TrainConfig, train
from moveset.learn.models.autoencoder import Autoencoder, AutoencoderConfig, AutoencoderTask
from moveset.learn.models.distill import DistillConfig, DistillTask, OneStep
from moveset.learn.models.flow import Denoiser, FlowConfig, FlowPredictor, FlowTask, flow_error
from moveset.learn.models.meanflow import TIMES, MeanFlowConfig, MeanFlowTask, mean_flow_error
from moveset.learn.states import StateSpace
from moveset.learn.steering import FEEDBACK_SECONDS, walked
from moveset.synthetic import synthesize
from moveset.workflows.training.sets import ANY_MOTION, write_training_set

TOY = FlowConfig(width=64, context=1, chunk=1, times=(1.0,))
FEW = FlowConfig(width=48, noise=0.1)


def known_nothing(count: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return torch.zeros(count, 1, 4), torch.zeros(count, 1, 2), torch.zeros(count, 1), torch.ones(count, 1)


def two_modes(count: int) -> Tensor:
    """(B, 1, 4): 0.3 of them near +1, the others near -1 in the first number."""
    states = 0.05 * torch.randn(count, 1, 4)
    states[..., 0] += torch.where(torch.rand(count, 1) < 0.3, 1.0, -1.0)
    return states


def fitted(draw: Callable[[int], Tensor], error: Callable[..., Tensor], clocks: int, steps: int) -> Denoiser:
    """A denoiser trained on what `draw` gives."""
    module = Denoiser(TOY, StateSpace(1), clocks)
    optimizer = torch.optim.Adam(module.parameters(), 3e-3)
    known = known_nothing(256)
    for _ in range(steps):
        end = draw(256).flatten(1)
        times = torch.rand(256, clocks).sort(dim=1)[0].split(1, dim=1)
        if clocks == 2:  # half of them flow matching
            times = times[0], torch.where(torch.rand(256, 1) < 0.5, times[0], times[1])
        start = torch.randn(256, module.numbers)
        loss = error(module, module.known(*known), start, end, *times).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return module.eval()


@pytest.fixture(scope="module")
def toy() -> Denoiser:
    with seeded(0):
        return fitted(two_modes, flow_error, 1, 400)


@torch.no_grad()
def first_numbers(predictor: FlowPredictor | OneStep, count: int = 4000) -> Tensor:
    with seeded(1):
        return predictor.unclamped(*known_nothing(count), torch.randn(count, 4))[:, 0, 0]


def test_it_follows_one_of_two_futures_where_regression_gives_the_mean(toy):
    found = first_numbers(FlowPredictor(toy, 16))
    near = (found.abs() - 1).abs() < 0.25
    assert near.float().mean() > 0.85
    assert abs((found > 0).float().mean() - 0.3) < 0.1
    # one step along the flow is what regression would give: the mean, which no future is
    assert (first_numbers(FlowPredictor(toy, 1)) + 0.4).abs().mean() < 0.2


def test_the_way_to_a_gaussian_is_that_of_the_formula():
    with seeded(0):
        module = fitted(lambda count: 0.3 + 0.5 * torch.randn(count, 1, 4), flow_error, 1, 400)
        start, end, t = torch.randn(2000, 4), 0.3 + 0.5 * torch.randn(2000, 4), torch.rand(2000, 1)
    sample = (1 - t) * start + t * end
    # mean of the end, given the sample
    truth = 0.3 + 0.25 * t / ((1 - t) ** 2 + 0.25 * t**2) * (sample - 0.3 * t)
    with torch.no_grad():
        found = module(module.known(*known_nothing(2000)), sample, t)
    assert (found - truth).square().mean() < 0.08 * truth.square().mean()


def test_the_last_step_lands_on_what_the_network_answers(toy):
    known, noise = known_nothing(8), torch.randn(8, 4)
    seen = []
    handle = toy.register_forward_hook(lambda module, given, answer: seen.append(answer))
    found = FlowPredictor(toy, 3).unclamped(*known, noise)
    handle.remove()
    assert len(seen) == 3 and torch.allclose(found.flatten(1), seen[-1], atol=1e-6)
    assert (found.flatten(1) - seen[0]).abs().mean() > 0.05


def test_mean_flow_finds_both_futures_in_one_step():
    with seeded(0):
        module = fitted(two_modes, mean_flow_error, 2, 500)
    found = first_numbers(OneStep(module, TIMES))
    assert found.std() > 0.6  # of the data: 0.92, of a flow in one step: 0.14
    assert abs((found > 0).float().mean() - 0.3) < 0.12


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's forward derivatives, when first used
def test_the_target_of_mean_flow_is_its_identity():
    with seeded(0):
        network = Denoiser(TOY, StateSpace(1), clocks=2)
        torch.nn.init.normal_(network.network.last.weight, std=0.2)
        known, start, end = torch.randn(64, 4 + 5), torch.randn(64, 4), torch.randn(64, 4)
        time, until = 0.9 * torch.rand(64, 1), torch.ones(64, 1)
    velocity, sample = end - start, start + time * (end - start)

    def mean_velocity(x: Tensor, t: Tensor) -> Tensor:
        return (network(known, x, t, until) - x) / (1 - t)

    found, along, *_ = torch.func.jvp(mean_velocity, (sample, time), (velocity, torch.ones_like(time)))
    truth = (found - velocity - (until - time) * along).square()
    errors = mean_flow_error(network, known, start, end, time, until)
    assert (errors - truth).abs().max() < 0.05 * truth.max()
    same = mean_flow_error(network, known, start, end, time, time)
    assert torch.allclose(same, ((network(known, sample, time, time) - end) / (1 - time)).square(), atol=1e-3)


def test_a_student_gives_in_one_step_what_its_teacher_finds_in_several(toy):
    teacher = FlowPredictor(toy, 8)
    with seeded(0):
        network = Denoiser(TOY, StateSpace(1))
        network.load_state_dict(toy.state_dict())
        student, known = OneStep(network, (0.0,)), known_nothing(256)
        optimizer = torch.optim.Adam(student.parameters(), 2e-3)
        for _ in range(300):
            noise = torch.randn(256, 4)
            with torch.no_grad():
                taught = teacher.unclamped(*known, noise)
            loss = (student.unclamped(*known, noise) - taught).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    found, truth = first_numbers(student), first_numbers(teacher)
    assert (found - truth).abs().mean() < 0.12
    assert ((found > 0) == (truth > 0)).float().mean() > 0.95


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> TrainingSet:
    folder = tmp_path_factory.mktemp("flow") / "walks"
    write_training_set(folder, [synthesize(name) for name in ("walk_120", "run_280")], [], ANY_MOTION)
    return open_training_set(folder)


@pytest.fixture(scope="module")
def autoencoder(data) -> Autoencoder:
    return AutoencoderTask(AutoencoderConfig(latents=12, width=16), data).module.requires_grad_(False)


@pytest.fixture(scope="module")
def flow(data, autoencoder) -> FlowTask:
    return FlowTask(FEW, data, autoencoder)


def losses(task, seed: int = 0) -> dict[str, float]:
    with torch.no_grad():
        total, terms = task.loss(task.batch(Draw(7, 32, 1.0, seed)), 1.0)
    return {"total": float(total), **{name: float(value) for name, value in terms.items()}}


@pytest.mark.parametrize("kind", ["flow", "mean flow"])
def test_the_loss_of_a_small_set_falls(kind, data, autoencoder, tmp_path):
    task = (
        FlowTask(FEW, data, autoencoder)
        if kind == "flow"
        else MeanFlowTask(MeanFlowConfig(width=48, noise=0.1), data, autoencoder)
    )
    before = losses(task)
    assert losses(task) == before  # all chance comes from the draw
    train(task, TrainConfig(steps=100, batch=48, learning_rate=3e-3, picture_every=0), tmp_path)
    assert losses(task)["latents"] < 0.8 * before["latents"]


def test_a_student_as_wide_as_its_teacher_begins_as_one_step_of_it(flow, data, autoencoder):
    config = DistillConfig(width=48, noise=0.1, free=1.0, teacher_steps=1)
    task = DistillTask(config, flow.module, data, autoencoder, flow.motion)
    assert losses(task)["states"] < 1e-10
    assert losses(task)["slide"] == losses(task)["position"] == 0  # nobody steers
    other = DistillTask(replace(config, width=32), flow.module, data, autoencoder, flow.motion)
    assert losses(other)["states"] > 1e-4


def test_a_student_learns_from_its_teacher_and_the_clip(flow, data, autoencoder, tmp_path):
    config = DistillConfig(width=32, noise=0.1, rounds=(2, 2), teacher_steps=2)
    task = DistillTask(config, flow.module, data, autoencoder, flow.motion)
    frozen = [weight.clone() for weight in flow.module.parameters()]
    before = losses(task)
    train(task, TrainConfig(steps=80, batch=32, learning_rate=3e-3, picture_every=0), tmp_path)
    after = losses(task)
    assert after["states"] < 0.98 * before["states"]
    assert after["smooth"] < before["smooth"]
    assert all(torch.equal(a, b) for a, b in zip(frozen, flow.module.parameters()))


@pytest.mark.parametrize("steps", [1, 4])
def test_a_flow_is_one_onnx_file(flow, steps):
    predictor = FlowPredictor(flow.module, steps)
    starts = flow.batch(Draw(0, 8))
    inputs = {
        "context": starts["states"][:, :4],
        "offsets": torch.randn(8, 4, 2),
        "turns": torch.randn(8, 4),
        "free": (torch.arange(8) % 2).float()[:, None],
        "noise": torch.randn(8, flow.module.numbers),
    }
    file = to_onnx(predictor, inputs, ["states"])
    assert check_onnx(file, predictor, inputs) < 1e-5
    assert len(file) < 1.5 * 4 * sum(p.numel() for p in [*predictor.parameters(), *predictor.buffers()])
    assert [port.name for port in Network(file).inputs] == list(inputs)


def test_a_clip_comes_back_to_its_path_as_it_is_asked_to(data, autoencoder):
    begun = replace(FEW, off_path=(0.2, 0.2), noisy=1.0, bent=0.0, paced=0.0, free=0.0, rounds=(1, 1))
    task = FlowTask(begun, data, autoencoder)
    batch = task.batch(Draw(0, 16))
    states = task.line(batch)[2].unflatten(1, (task.config.chunk, -1))
    now = batch["tracks"][:, FEW.context - 1]
    begin = now[:, :2] + batch["place"], now[:, 2] + batch["turn"]
    places, headings = walked(task.motion.space.root_of(states) / task.motion.fps, *begin)
    there = batch["tracks"][:, FEW.context : FEW.context + task.config.chunk]
    k = torch.arange(1, task.config.chunk + 1) / task.motion.fps
    left = batch["place"][:, None] * torch.exp(-k / FEEDBACK_SECONDS)[:, None]
    assert torch.allclose(places - there[..., :2], left, atol=1e-4)
    assert ((headings - there[..., 2]).abs()[:, -1] < batch["turn"].abs()).all()
    unasked = {**batch, "free": torch.ones(16, 1)}
    clip = batch["states"][:, FEW.context : FEW.context + task.config.chunk]
    assert torch.allclose(task.line(unasked)[2], clip.flatten(1), atol=1e-4)


def test_a_window_that_goes_on_by_itself_learns_the_clip_from_where_it_got_to(data, autoencoder):
    config = replace(FEW, noise=0.0, noisy=0.0, bent=0.0, paced=0.0, free=0.3, rounds=(3, 3), lag=0)
    task = FlowTask(config, data, autoencoder)
    batch = task.batch(Draw(0, 64))
    assert set(batch["onward"][batch["free"] == 0].tolist()) == {0, 1, 2}
    assert (batch["onward"][batch["free"] == 1] == 0).all()  # the clip is not what it would do
    answered = []
    task.answer = lambda given, noise: answered.append(given) or given[0][:, -1:].expand(-1, config.chunk, -1)
    known, _, end = task.line(batch)
    assert len(answered) == 2  # the third answer would lead nowhere
    states = end.unflatten(1, (config.chunk, -1))
    for row in range(64):
        first = config.context + config.execute * int(batch["onward"][row])
        truth = batch["states"][row, first : first + config.chunk]
        assert torch.equal(states[row, :, :-3], truth[:, :-3])
    onward = batch["onward"][:, 0] > 0
    stood = known[:, : config.context * task.motion.space.width].unflatten(1, (config.context, -1))
    now = batch["states"][:, config.context - 1]
    assert torch.allclose(stood[onward, -1], task.motion.space.clamp(now)[onward])  # as it was taken to go on
    # it comes back to where the clip is, from where standing on has left it
    speeds = task.motion.space.root_of(states)[..., 1]
    assert torch.isfinite(speeds).all() and (speeds[onward] != speeds[onward][:, :1]).any()
