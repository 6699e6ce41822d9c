"""What is found in arrays, beside laws, lattices and the program's own answers."""

from __future__ import annotations

import pickle
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SHORT, UBIQUITIN

import beadwork
from beadwork import analysis
from beadwork.analysis._arrays import frames_of, groups_of

RANDOM = np.random.Generator(beadwork.random.Philox4x32x10(20101))


def test_peaks_of_a_run(tmp_path: Path) -> None:
    run = beadwork.run(UBIQUITIN, output=tmp_path / "run", set=SHORT, device="cpu", plots=False)
    for member in range(2):
        curve = run.table(member).of_stage("pull")
        found = analysis.unfolding(
            curve["time_ns"], curve["extension_nm"], curve["force_pN"], curve["native_contacts"], window=3
        )
        averaged = np.convolve(curve["force_pN"], np.ones(3) / 3, "valid")
        for peak in found.peaks:
            assert peak.time == curve["time_ns"][peak.index]
            assert peak.force == pytest.approx(averaged[peak.index - 1])
        assert found.rupture in found.peaks and found.rupture is not None
        # The maximum drawdown, by its definition.
        highest = np.maximum.accumulate(averaged)
        assert found.rupture.fall == pytest.approx((highest - averaged).max())


def test_peaks_of_a_curve_by_hand() -> None:
    force = [0.0, 20.0, 40.0, 10.0, 5.0, 80.0]
    extension, contacts = [0.0, 1.0, 2.0, 5.0, 8.0, 9.0], [50.0, 50.0, 48.0, 10.0, 2.0, 0.0]
    found = analysis.unfolding(range(6), extension, force, contacts, prominence=10.0)
    assert found.rupture == analysis.Peak(40.0, 2.0, 2.0, 48.0, 35.0, 2)
    assert analysis.unfolding(range(6), extension, force, prominence=36.0).rupture is None
    assert np.isnan(analysis.unfolding(range(6), extension, force).peaks[0].contacts)
    assert analysis.unfolding(range(6), extension, force, taut_extension=1.0).rupture is None
    # √(κ kT/n) twice, times √(2 ln 1000 n).
    floor = (35.0 * 0.01380649 * 300.0 / 4) ** 0.5
    assert analysis.noise_fall(35.0, 300.0, window=4, samples=9) == pytest.approx(
        2 * floor * (2 * np.log(9000.0)) ** 0.5
    )


def test_bell_and_evans_are_found_again() -> None:
    law = analysis.BellEvans(12.0, 0.5, 0.0, 0.0, None, 0, 0)
    rates = np.geomspace(1e2, 1e5, 7)
    shares = RANDOM.random((7, 400))
    # The force below which a share of bonds breaks.
    forces = [
        law.thermal_force * np.log1p(-np.log1p(-share) * rate / (law.rate * law.thermal_force))
        for rate, share in zip(rates, shares, strict=True)
    ]
    fit = analysis.bell_evans(rates, forces)
    assert abs(np.log(fit.thermal_force / law.thermal_force)) < 5 * fit.relative_error_of_distance < 0.2
    assert abs(np.log(fit.rate / law.rate)) < 5 * fit.error_of_log_rate
    assert (fit.rates, fit.forces) == (7, 2800) and fit.lack_of_fit is not None and fit.lack_of_fit > 1e-3
    assert fit.distance(300.0) == pytest.approx(0.01380649 * 300.0 / fit.thermal_force)
    means = [values.mean() for values in forces]
    scatter = np.array([values.std() for values in forces]) / 20
    assert np.all(np.abs(law.mean(rates) - means) < 5 * scatter)
    assert law.most_probable([12.0 * 0.5]).tolist() == [0.0]
    assert law.most_probable([[12.0 * 0.5 * np.e]])[0, 0] == pytest.approx(12.0)
    likely = analysis.bell_evans(rates, forces, estimator="most-probable")
    assert likely.lack_of_fit is None and likely.thermal_force == pytest.approx(12.0, rel=0.2)
    with pytest.raises(beadwork.Error, match="at more rates") as refused:
        analysis.bell_evans(rates[:2], forces[:2])
    assert (refused.value.code, refused.value.exit_code) == ("analysis/samples", 2)
    with pytest.raises(beadwork.Error, match="farther apart"):
        analysis.bell_evans(rates, [RANDOM.normal(50.0, 5.0, 20) for _ in rates])


def test_hertz_and_survival() -> None:
    depths = np.linspace(0.0, 2.0, 60)
    law = analysis.Hertz(7.5, 0.4, 0.0, 0, 20.0)
    found = analysis.hertz(depths, law.force(depths), 20.0)
    assert found is not None
    assert (found.modulus, found.zero) == (pytest.approx(7.5, rel=1e-5), pytest.approx(0.4, abs=1e-5))
    assert found.points == 60 and found.force([0.0, 1.4])[0] == 0.0
    assert found.force(1.4) == pytest.approx(4 / 3 * 7.5 * 20**0.5, rel=1e-4)
    assert analysis.hertz(depths, -depths, 20.0) is None
    # Three observed to their end, one not.
    curve = analysis.survival([1.0, 2.0, 3.0, 6.0], [True, False, True, True])
    assert curve.times.tolist() == [1.0, 3.0, 6.0] and curve.at_risk.tolist() == [4, 2, 1]
    assert curve.shares.tolist() == pytest.approx([0.75, 0.375, 0.0])
    assert curve.mean is not None and curve.mean.value == pytest.approx(4.0) and curve.median == 3.0


def test_errors_of_means_count_correlations() -> None:
    # An autoregressive series with ρ(t) = 0.9ᵗ has τ = ½ (1 + 0.9)/(1 − 0.9) = 9.5.
    noise = RANDOM.normal(size=(4, 20_000))
    series = np.zeros_like(noise)
    for step in range(1, noise.shape[1]):
        series[:, step] = 0.9 * series[:, step - 1] + noise[:, step]
    time = analysis.autocorrelation_time(series)
    assert time is not None and abs(time.time - 9.5) < 5 * time.error < 3.0
    assert time.samples == 80_000 and time.long_enough and time.inefficiency == pytest.approx(2 * time.time)
    found = analysis.average(list(series))
    expected = series.std() * (19.0 / series.size) ** 0.5
    assert found.mean == pytest.approx(series.mean()) and found.error == pytest.approx(expected, rel=0.2)
    assert found.is_known and abs(found.mean) < 5 * expected
    of_mean = analysis.autocorrelation_time(series, of_mean=True)
    assert of_mean is not None and abs(of_mean.time - 9.5) < 5 * of_mean.error < 15.0
    assert analysis.autocorrelation_time([1.0, 1.0, 1.0]) is None
    one = analysis.average([1.0, 2.0, 1.5, 1.5])
    assert one.mean == 1.5 and not one.is_known and str(one).startswith("1.5 ± ")


def test_harmonic_energies_are_reweighted() -> None:
    # Energies of six quadratic degrees of freedom: ⟨E⟩ = 3 kT, C = 3, and the partition function grows as (kT)³.
    temperatures = [0.8, 1.0, 1.25, 1.5]
    energies = [RANDOM.gamma(3.0, kt, 8000) for kt in temperatures]
    found = analysis.reweight(temperatures, energies, {"square": [one**2 for one in energies]}, beads=3)
    for kt in (0.9, 1.1, 1.4):
        point = found.at(kt)
        assert point.energy.error is not None and abs(point.energy.value - 3 * kt) < 5 * point.energy.error < 0.2
        capacity = point.heat_capacity_per_bead
        assert capacity.error is not None and abs(capacity.value - 1.0) < 5 * capacity.error < 0.3
        square = point.observables["square"]
        assert square.mean.error is not None and abs(square.mean.value - 12 * kt**2) < 5 * square.mean.error
        assert abs(square.temperature_derivative.value - 24 * kt) < 5 * (square.temperature_derivative.error or 0)
        assert point.effective_samples > 8000
    for kt, free in zip(temperatures[1:], found.free_energies[1:], strict=True):
        assert free.error is not None and abs(free.value + 3 * np.log(kt / 0.8)) < 5 * free.error
    assert found.heat_capacity_peak() is None or isinstance(found.heat_capacity_peak(), analysis.TemperaturePeak)
    # Ladders instead of blocks, and bins as asked for.
    ladders = [np.split(one, 8) for one in energies]
    again = analysis.reweight(temperatures, ladders, inefficiencies=[1.0] * 4, bin_width=0.01)
    assert again.bin_width == 0.01
    assert again.at(1.1).energy.value == pytest.approx(found.at(1.1).energy.value, rel=1e-3)
    with pytest.raises(beadwork.Error) as refused:
        analysis.reweight([1.0, 100.0], [np.linspace(0, 1, 100), np.linspace(1000, 1001, 100)])
    assert refused.value.code == "analysis/free-energies"
    with pytest.raises(KeyError, match="square"):
        found.growth_peak("cube")


def test_a_two_level_system_has_its_heat_capacity_peak() -> None:
    # Levels 0 and 1, the upper one ten times: the maximum of x² 10 eˣ/(eˣ + 10)² with x = 1/kT is at kT = 0.2953.
    temperatures = np.array([0.2, 0.25, 0.3, 0.4, 0.6])
    share = 10 / (10 + np.exp(1 / temperatures))
    energies = [(RANDOM.random(20_000) < upper).astype(float) for upper in share]
    peak = analysis.reweight(temperatures, energies).heat_capacity_peak()
    inverse = np.linspace(1.0, 6.0, 200_001)
    law = inverse**2 * 10 * np.exp(inverse) / (np.exp(inverse) + 10) ** 2
    assert peak is not None and peak.temperature.error is not None and peak.height.error is not None
    assert abs(peak.temperature.value - 1 / inverse[law.argmax()]) < 5 * peak.temperature.error
    assert abs(peak.height.value - law.max()) < 5 * peak.height.error


def test_displacements_of_a_random_walk() -> None:
    steps = RANDOM.normal(size=(2000, 50, 3))
    walk = np.cumsum(steps, axis=0)
    found = analysis.displacements(walk, interval=0.5)
    assert found.times[0] == 0.5 and found.times[-1] == 500.0
    # ⟨Δr²⟩ = 3 n after n steps of variance 1; steps are half a time unit apart, so D = 1.
    assert found.squares[:10] == pytest.approx(3 * found.times[:10] / 0.5, rel=0.05)
    assert found.diffusion == pytest.approx(1.0, rel=0.3) and found.exponent == pytest.approx(1.0, abs=0.2)
    lag = analysis.displacements(walk, lags=[7])
    by_hand = ((walk[7:] - walk[:-7]) ** 2).sum(axis=2).mean()
    assert lag.squares.tolist() == pytest.approx([by_hand])
    single = analysis.displacements(walk.astype(np.float32), lags=[7])
    assert single.squares[0] == pytest.approx(by_hand, rel=1e-5) and single.squares[0] != lag.squares[0]
    with pytest.raises(ValueError, match="1999"):
        analysis.displacements(walk, lags=[2000])


def test_sizes_and_distances_of_chains() -> None:
    straight = np.zeros((2, 40, 3))
    straight[:, :, 0] = 0.38 * np.arange(40)
    sizes = analysis.radius_of_gyration(straight)
    assert sizes.tolist() == pytest.approx([0.38 * ((40**2 - 1) / 12) ** 0.5] * 2)
    # One heavy bead has the centre of mass at its place.
    masses = np.full(40, 1e-12)
    masses[0] = 1.0
    assert analysis.radius_of_gyration(straight, masses)[0] < 1e-3
    assert analysis.radius_of_gyration(straight[0], masses).shape == (1,)
    found = analysis.internal_distances(straight)
    assert found.distances == pytest.approx(0.38 * found.separations)
    assert (found.exponent, found.prefactor) == (pytest.approx(1.0, abs=1e-6), pytest.approx(0.38, abs=1e-6))
    assert analysis.internal_distances(straight[:, :6]).exponent is None
    near = analysis.contact_map(straight, 0.5)
    assert near.shape == (40, 40) and np.isnan(near[3, 3])
    assert np.nansum(near) == 2 * 39 and near[0, 1] == 1.0 and near[0, 2] == 0.0


def test_a_lattice_has_its_shells_and_its_peaks() -> None:
    side = 8
    lattice = np.array(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), dtype=np.float32).reshape(3, -1).T
    types = (lattice[:, 0] % 2).astype(int)
    box = [side] * 3
    found = analysis.pair_distribution(np.stack([lattice, lattice + 3.7]), box, types=types, reach=2.31, bins=21)
    assert found.values.shape == (2, 2, 21)
    width = 0.11

    def neighbours(a: int, b: int, distance: float) -> float:
        place = int(distance / width)
        shell = 4 / 3 * np.pi * ((place + 1) ** 3 - place**3) * width**3
        others = 256 - (a == b)
        return float(found.values[a, b, place] * others / side**3 * shell)

    for distance, alike, unlike in [(1.0, 4, 2), (2**0.5, 4, 8), (3**0.5, 0, 8), (2.0, 6, 0)]:
        assert neighbours(0, 0, distance) == pytest.approx(alike, abs=1e-6)
        assert neighbours(1, 0, distance) == pytest.approx(unlike, abs=1e-6)
    assert analysis.pair_distribution(lattice, box).distances[-1] < side / 2
    # A plane wave at 2π along each axis: S = N there, and types in layers have their peak at half of it along x.
    spectrum = analysis.structure_factor(lattice, box, types=types, largest=6.6)
    assert spectrum.values.shape == (2, 2, len(spectrum.wave_numbers)) == (2, 2, len(spectrum.total))
    assert spectrum.wave_numbers[spectrum.total.argmax()] == pytest.approx(2 * np.pi, rel=0.05)
    half = spectrum.values[0, 1].argmin()
    # Shells are 2π/8 wide.
    assert 0 <= spectrum.wave_numbers[half] - np.pi < np.pi / 4 and spectrum.values[0, 1, half] < 0
    gas = analysis.structure_factor(RANDOM.random((20, 500, 3)) * 10, [10.0] * 3)
    assert gas.total.mean() == pytest.approx(1.0, abs=0.1)
    with pytest.raises(ValueError, match="half of the shortest"):
        analysis.pair_distribution(lattice, box, reach=5.0)
    with pytest.raises(beadwork.Error, match="shortest one"):
        analysis.structure_factor(lattice, box, largest=0.1)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: analysis.radius_of_gyration(np.zeros((3, 4))), r"\(frames, beads, 3\)"),
        (lambda: analysis.radius_of_gyration(np.zeros((1, 4, 3)), [1.0]), "4 beads"),
        (lambda: analysis.hertz([1.0, 2.0], [1.0], 1.0), "2 depths and 1 forces"),
        (lambda: analysis.hertz([1.0], [1.0], -1.0), "radius"),
        (lambda: analysis.unfolding([0.0], [1.0, 2.0], [1.0]), "extension has 2 values"),
        (lambda: analysis.unfolding([[0.0]], [1.0], [1.0]), "time has the shape"),
        (lambda: analysis.average([]), "no values"),
        (lambda: analysis.reweight([1.0], [[1.0], [2.0]]), "2 entries"),
        (lambda: analysis.pair_distribution(np.zeros((1, 4, 3)), [1.0, 1.0]), "three sides"),
        (lambda: analysis.pair_distribution(np.zeros((1, 4, 3)), [1.0] * 3, types=[0.5] * 4), "whole number"),
        (lambda: analysis.pair_distribution(np.zeros((1, 4, 3)), [1.0] * 3, bins=10**12), "131072 at most"),
        (lambda: analysis.pair_distribution(np.zeros((1, 2, 3)), [1.0] * 3, types=[0, 255], bins=511), "510 at most"),
        (lambda: analysis.structure_factor(np.zeros((1, 4, 3)), [1.0] * 3, largest=1e300), "16384 at most"),
        (lambda: analysis.displacements(np.zeros((9, 4, 3)), lags=[1.5]), "a lag is 1.5"),
        (lambda: analysis.contact_map(np.zeros((1, 4, 3)), "8 A"), "reach is '8 A'"),  # type: ignore[arg-type]
        (lambda: analysis.radius_of_gyration(np.zeros((1, 4, 3)) + 1j), "complex128"),
        (lambda: analysis.radius_of_gyration(np.ma.masked_less(np.zeros((1, 4, 3)), 1.0)), "masked"),
        (lambda: analysis.average("abc"), "the series is 'abc'"),  # type: ignore[arg-type]
        (lambda: analysis.average(3.0), "the series is 3.0"),
        (lambda: analysis.noise_fall(1.0, 300.0, samples=2**70), "samples is 1180591620717411303424"),
        (lambda: analysis.unfolding([1, 2, 7, 4], [0] * 4, [0] * 4), r"sample 3 \(from 0\) is at 4"),
        (lambda: analysis.unfolding([1, 2, 3, 7, 8], [0] * 5, [0] * 5), "is 4 after the one before"),
        (lambda: analysis.unfolding(np.r_[0:50, 50:100:2], [0] * 75, [0] * 75), "is 2 after the one before"),
        (lambda: analysis.unfolding(np.r_[0:40, 40:50:0.25], [0] * 80, [0] * 80), "0.25 after the one before"),
        (lambda: analysis.unfolding([0.0, 0.0, 0.1], [0] * 3, [0] * 3), "more digits"),
        (lambda: analysis.survival([1.0, 2.0], ["no", "yes"]), "ended"),
        (lambda: analysis.survival([1.0, 2.0], [2, 5]), "True or False"),
        (lambda: analysis.bell_evans([1.0], 3.0), "forces is 3.0"),  # type: ignore[arg-type]
        (lambda: analysis.reweight([1.0], [[1.0]], bin_width=-1.0), "bin_width is -1.0"),
        (lambda: analysis.survival([1.0, -1.0], [True, True]), "negative"),
    ],
)
def test_what_does_not_fit_is_told(call: Any, why: str) -> None:
    with pytest.raises(beadwork.ArgumentError, match=why) as refused:
        call()
    # It can be caught as what Python programs expect, and has the code and the exit code of the program.
    assert isinstance(refused.value, ValueError)
    assert (refused.value.code, refused.value.exit_code) == ("program/arguments", 2)
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_samples_may_be_missing_and_stages_may_end_early() -> None:
    force = [0.0, 20.0, 40.0, np.nan, 10.0, 5.0, 80.0]
    found = analysis.unfolding([0.3, 1, 2, 3, 4, 5, 5.4], np.arange(7.0), force, prominence=10.0)
    assert found.rupture is not None and found.rupture.force == 40.0


def test_times_may_have_few_digits() -> None:
    exact = 0.013 * np.arange(200)
    force = np.where(np.arange(200) < 120, np.arange(200.0), 5.0)
    single = (8000.0 + 0.02 * np.arange(200)).astype(np.float32)
    jitter = np.arange(200) + 0.2 * np.sin(np.arange(200))
    for times in (exact, exact.round(2), exact.round(3), single, jitter):
        found = analysis.unfolding(times, np.arange(200.0), force, prominence=10.0)
        assert found.rupture is not None
        assert (found.rupture.index, found.rupture.force, found.rupture.time) == (119, 119.0, times[119])
    # Two intervals are both at an end, of which either may be shorter.
    for few in ([0, 0.3, 1.3], [0, 1, 1.3], [0, 0.3, 1.3, 2.3]):
        assert analysis.unfolding(few, [0] * len(few), [0] * len(few)).rupture is None


def test_arrays_of_other_packages_and_iterators_are_taken() -> None:
    class Frames:
        """As arrays of other packages are."""

        def __init__(self, frames: np.ndarray) -> None:
            self.frames = frames

        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            return self.frames if dtype is None else self.frames.astype(dtype)

    frames = RANDOM.normal(size=(3, 4, 3))
    for kind in (np.float32, np.float64):
        found = frames_of(Frames(frames.astype(kind)))  # type: ignore[arg-type]
        assert found.dtype == kind and np.array_equal(found, frames.astype(kind))
    values = list(range(40))
    for entry in (values, iter(values), np.array(values), set(values)):
        (blocks,) = groups_of("energies", [entry], 1)
        assert np.concatenate(blocks).tolist() == values


def test_means_and_times_of_too_few_values_are_not_known() -> None:
    found = analysis.average([1.0, np.nan, 3.0])
    assert not found.is_known and found.error is None and np.isnan(found.mean)
    time = analysis.autocorrelation_time([1.0, -1.2, 1.1, -1.0, 0.9, -1.1])
    assert time is not None and not time.long_enough


def test_more_memory_than_there_is_is_refused() -> None:
    # No array of positions is as large: one bead, seen as a million.
    beads = np.broadcast_to(np.zeros((1, 1, 3), dtype=np.float32), (1, 1_000_000, 3))
    with pytest.raises(beadwork.Error, match="12000.0 GB of memory") as refused:
        analysis.contact_map(beads, 1.0)
    assert (refused.value.code, refused.value.exit_code) == ("program/machine", 4)


@pytest.mark.parametrize(
    "call",
    [
        lambda: analysis.pair_distribution(np.random.default_rng(1).random((1, 300_000, 3)), [1.0] * 3),
        lambda: analysis.contact_map(np.zeros((2_000, 3_000, 3), dtype=np.float32), 1.0),
        lambda: analysis.autocorrelation_time(np.arange(3_000_000.0)),
    ],
)
def test_signals_stop_long_analyses(call: Any) -> None:
    # Whole, each of these takes many seconds to days.
    class Stop(Exception):
        pass

    def stop(*_: Any) -> None:
        raise Stop

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Stop):
            call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_positions_that_are_not_finite_are_told() -> None:
    positions = np.zeros((3, 4, 3), dtype=np.float32)
    positions[1, 2, 0] = np.nan
    for call in (analysis.radius_of_gyration, analysis.internal_distances, analysis.displacements):
        with pytest.raises(beadwork.Error, match="bead 2 of frame 1"):
            call(positions)
