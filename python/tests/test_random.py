"""Bit generators: words of the library's known answers and of the program, and what numpy does with them."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest
from conftest import REPOSITORY, program_bytes

import beadwork
from beadwork.random import (
    GENERATORS,
    LaggedFibonacci,
    Lcg,
    Mt19937,
    Philox4x32x10,
    Ran2,
    Saru,
    SaruTea,
    Stream,
    Xorwow,
)

ANSWERS = REPOSITORY / "crates" / "beadwork-random" / "known_answers.txt"
ALL = [(name, scheme) for name, kind in GENERATORS.items() for scheme in kind.schemes]


def answers(beginning: str) -> list[tuple[str, list[int], list[int]]]:
    """The known answers whose name begins so: the rest of the name, inputs and outputs."""
    found = []
    for line in ANSWERS.read_text(encoding="utf-8").splitlines():
        if line.startswith(beginning):
            (name, *given), outputs = (part.split() for part in line.split("->"))
            numbers = [[int(word, 16) for word in words] for words in (given, outputs)]
            found.append((name.removeprefix(beginning), numbers[0], numbers[1]))
    return found


def of_name(name: str) -> tuple[str, str]:
    """The generator and the scheme that a known answer is of."""
    for ending, scheme in (("-published", "one-per-call-published"), ("-one-per-thread", "one-per-thread")):
        if name.endswith(ending):
            return name.removesuffix(ending), scheme
    return name, GENERATORS[name].schemes[0]


def test_words_are_the_known_ones() -> None:
    seen = set()
    for name, (seed, replica, beads, words, step, bead), expected in answers("streams-"):
        generator, scheme = of_name(name)
        place: dict[str, Any] = {"scheme": scheme, "replica": replica, "bead": bead, "words": words, "beads": beads}
        stream = GENERATORS[generator](seed, **place)
        stream.random_raw(step * words, output=False)
        assert stream.random_raw(4).tolist() == expected, name
        if stream.state["states"] is None:
            assert GENERATORS[generator](seed, step=step, **place).random_raw(4).tolist() == expected, name
        seen.add((generator, scheme))
    assert seen == set(ALL)


@pytest.mark.parametrize(("name", "scheme"), ALL)
def test_words_are_those_of_the_program(name: str, scheme: str) -> None:
    options = ["--generator", name, "--scheme", scheme, "--seed", "7", "--particles", "5", "--words", "600"]
    written = np.frombuffer(program_bytes("random", "stream", *options), dtype="<u4").reshape(40, 5, 3)
    for bead in range(5):
        stream = GENERATORS[name](7, scheme=scheme, bead=bead, words=3, beads=5)
        assert stream.random_raw(120).tolist() == written[:, bead].ravel().tolist()


@pytest.mark.parametrize("name", ["philox4x32-10", "philox4x32-7", "saru", "saru-tea"])
def test_pairs_have_the_words_of_the_program(name: str) -> None:
    options = ["--generator", name, "--order", "neighbors", "--seed", "7", "--words", "500"]
    written = np.frombuffer(program_bytes("random", "stream", *options), dtype="<u4").reshape(10, 50)
    for partner in (1, 2, 50):
        stream = GENERATORS[name](7, partner=partner, words=1)
        assert stream.random_raw(10).tolist() == written[:, partner - 1].tolist()


@pytest.mark.parametrize(("name", "scheme"), ALL)
def test_numpy_draws_what_the_words_say(name: str, scheme: str) -> None:
    kind = GENERATORS[name]
    words = kind(7, scheme=scheme).random_raw(4000).astype(np.uint64)
    assert words.max() < 2**32
    pairs = words.reshape(-1, 2)
    long = pairs[:, 0] << np.uint64(32) | pairs[:, 1]
    generator = np.random.Generator(kind(7, scheme=scheme))
    # The library's uniform numbers: the middle of one of 2⁵² cells.
    assert np.array_equal(generator.random(1000), ((long[:1000] >> np.uint64(12)) + 0.5) * 2.0**-52)
    integers = np.random.Generator(kind(7, scheme=scheme)).integers(0, 2**64, 1000, dtype=np.uint64)
    assert np.array_equal(integers, long[:1000])
    short = np.random.Generator(kind(7, scheme=scheme)).integers(0, 2**32, 1000, dtype=np.uint32)
    assert np.array_equal(short, words[:1000])
    stream = kind(7, scheme=scheme)
    interface = stream.ctypes
    assert [interface.next_uint32(interface.state) for _ in range(9)] == words[:9].tolist()
    normals = np.random.Generator(kind(7, scheme=scheme)).normal(size=20_000)
    # Five standard errors of mean and variance.
    assert abs(normals.mean()) < 5 / 20_000**0.5 and abs(normals.var() - 1) < 5 * (2 / 20_000) ** 0.5
    assert isinstance(np.random.default_rng(kind(7, scheme=scheme)), np.random.Generator)


@pytest.mark.parametrize(("name", "scheme"), ALL)
def test_states_and_copies_go_on_with_the_same_words(name: str, scheme: str) -> None:
    place: dict[str, Any] = {"scheme": scheme, "replica": 2, "bead": 1, "beads": 3, "words": 5}
    stream = GENERATORS[name](7, **place)
    stream.random_raw(13, output=False)
    state = stream.state
    others = [pickle.loads(pickle.dumps(stream)), copy.deepcopy(stream), GENERATORS[name](7, **place)]
    others[2].state = state
    expected = stream.random_raw(40).tolist()
    for other in others:
        assert type(other) is type(stream) and other.random_raw(40).tolist() == expected
    stream.state = state
    assert stream.random_raw(40).tolist() == expected
    generator = pickle.loads(pickle.dumps(np.random.Generator(stream)))
    assert generator.integers(0, 2**32, 8, dtype=np.uint32).tolist() == stream.random_raw(8).tolist()


def test_a_state_of_another_place_or_no_state_is_refused() -> None:
    stream, before = Xorwow(7), Xorwow(7).random_raw(3).tolist()
    for wrong, why in [
        (Lcg(7).state, "Lcg"),
        (Xorwow(8).state, "seed 8"),
        (Xorwow(7, bead=1).state, "bead 1"),
    ]:
        with pytest.raises(ValueError, match=why):
            stream.state = wrong
    for damage in ({"states": np.zeros(3, dtype=np.uint32)}, {"states": None}, {"left": np.zeros(9, dtype=np.uint32)}):
        with pytest.raises(beadwork.Error):
            stream.state = {**Xorwow(7).state, **damage}
    for none, why in [(None, "give a dict"), ({"bit_generator": "Xorwow"}, "has no scheme")]:
        with pytest.raises(beadwork.Error, match=why):
            stream.state = none  # type: ignore[assignment]
    with pytest.raises(beadwork.Error, match="n_children is -1"):
        stream.spawn(-1)
    assert stream.random_raw(3).tolist() == before


def test_streams_differ_by_seed_replica_and_bead() -> None:
    for kind in GENERATORS.values():
        places: list[dict[str, int]] = [{}, {"replica": 1}]
        if kind not in (LaggedFibonacci, Mt19937):
            places.append({"bead": 1})
        words = [tuple(kind(7, **place).random_raw(8)) for place in places] + [tuple(kind(8).random_raw(8))]
        assert len(set(words)) == len(words), kind
        children = kind(7).spawn(2) + kind(None).spawn(1)
        assert len({tuple(child.random_raw(8)) for child in children}) == 3
        assert kind(np.random.SeedSequence(3)).seed == kind(np.random.SeedSequence(3)).seed
    assert Philox4x32x10(np.int64(7)).random_raw(4).tolist() == Philox4x32x10(7).random_raw(4).tolist()


def test_the_catalogue_says_what_generators_are() -> None:
    assert list(GENERATORS)[0] == "philox4x32-10" and GENERATORS["saru-tea"] is SaruTea
    assert Lcg.period == "2^32" and Lcg.flaws is not None and Philox4x32x10.flaws is None
    assert all(kind.generator == name and kind.__doc__ for name, kind in GENERATORS.items())
    assert repr(Saru(7, bead=3)).startswith("<beadwork.random.Saru: seed 7")


@pytest.mark.parametrize(
    ("kind", "place", "why"),
    [
        (Stream, {}, "GENERATORS"),
        (Saru, {"seed": -1}, "seed"),
        (Saru, {"seed": 2**63}, "seed"),
        (Saru, {"scheme": "counter"}, "scheme|counter"),
        (Saru, {"scheme": "two-per-call"}, "one-per-thread"),
        (Saru, {"words": 0}, "words"),
        (Saru, {"words": 1.5}, "words is 1.5"),
        (Saru, {"seed": "a"}, "seed"),
        (Saru, {"scheme": 3}, "scheme is 3"),
        (Saru, {"replica": 2**70}, "replica"),
        (Saru, {"bead": 5, "partner": 5}, "smaller number"),
        (Saru, {"partner": 0}, "partner"),
        (Saru, {"step": 2**48}, "step"),
        (Saru, {"bead": -1}, "bead"),
        (Ran2, {"bead": 9_999_999}, "beads 0 to 1917395"),
        (Lcg, {"step": 1}, "without a state"),
        (Lcg, {"partner": 1}, "pairs"),
        (Mt19937, {"bead": 4, "beads": 4}, "beads 0 to 3"),
    ],
)
def test_places_without_words_are_refused(kind: type[Stream], place: dict[str, Any], why: str) -> None:
    with pytest.raises(TypeError if kind is Stream else beadwork.Error, match=why):
        kind(**{"seed": 7, **place})


def test_threads_that_share_a_stream_take_each_word_once() -> None:
    stream = Philox4x32x10(7)
    drawn: list[np.ndarray[Any, Any]] = []

    def draw() -> None:
        for _ in range(50):
            drawn.append(stream.random_raw(400))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    words = np.sort(np.concatenate(drawn))
    assert np.array_equal(words, np.sort(Philox4x32x10(7).random_raw(len(words))))


def test_the_last_step_is_followed_by_the_first_one() -> None:
    stream = Philox4x32x10(7, step=2**48 - 1)
    stream.random_raw(4, output=False)
    assert stream.random_raw(4).tolist() == Philox4x32x10(7).random_raw(4).tolist()
