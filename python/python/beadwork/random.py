"""The generators of beadwork as bit generators of numpy.

    import numpy
    from beadwork.random import Philox4x32x10, Saru

    numbers = numpy.random.Generator(Saru(20101)).normal(size=1000)
    words = Philox4x32x10(20101, replica=3, bead=17).random_raw(12)

The words are those that a simulation has for the thermal force of a bead (book, chapter *Random numbers*): `words` words of each
step, step after step, with the same seed and replica number. So a number that must not depend on a run needs another seed than
that run. Streams are independent that differ in seed, replica or bead; with ``mt19937`` and ``lagged-fibonacci``, in seed or
replica. There is no ``jumped``: another replica or bead names another stream, and `step` passes over the steps before it.

A word has 32 bits; ``random_raw`` returns words. Of two words that make a number of 64 bits the first one is the upper half, and
``Generator.random()`` returns the library's uniform numbers in double precision, (n + ½) 2⁻⁵² with the upper 52 bits.

Bit generators can be pickled and copied, and their ``state`` can be set. Those with known flaws are for comparisons with published
work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.random import BitGenerator, SeedSequence

from . import _beadwork
from ._arguments import mapping, text, whole
from ._error import ArgumentError

__all__ = [
    "GENERATORS",
    "HybridTaus",
    "LaggedFibonacci",
    "Lcg",
    "Mt19937",
    "Philox4x32x7",
    "Philox4x32x10",
    "Ran2",
    "Saru",
    "SaruTea",
    "Stream",
    "Xorwow",
]

# Inputs have seeds below this one.
_SEEDS = 1 << 63
_MOST = (1 << 32) - 1
_MOST_OF_64 = (1 << 64) - 1
_MOST_STEP = (1 << 48) - 1
_Own = TypeVar("_Own", bound="Stream")


class Stream(BitGenerator):
    """The words of one bead or pair of a simulation; a class for each generator derives from it.

    Args:
        seed: the seed of the run, 0 to 2⁶³ − 1; or a ``SeedSequence``, from which a seed is drawn; or ``None``, for a seed from
            the operating system.
        scheme: how many generators a replica has; by default the first of `schemes`.
        replica: the number of the replica, over the whole ensemble and sweep.
        bead: the number of the bead.
        partner: of a pair, the larger number; `bead` is the smaller one. Only in schemes without a state.
        step: the first step, of 0 to 2⁴⁸ − 1. Only in schemes without a state.
        words: words of each step, 1 to 262144; simulations in single precision take 4.
        beads: of generators whose sequence all beads share, their number: of each step's ``beads * words`` words this bead takes
            its own.

    Attributes:
        generator: the name in inputs.
        schemes: the schemes in which the generator runs.
        period: the number of words after which a stream repeats.
        flaws: what is known to be wrong with the generator; ``None`` if nothing is.

    Raises:
        Error: a place that the generator has no words for.
    """

    generator: ClassVar[str]
    schemes: ClassVar[tuple[str, ...]]
    period: ClassVar[str]
    flaws: ClassVar[str | None]

    def __init__(
        self,
        seed: int | SeedSequence | None = None,
        *,
        scheme: str | None = None,
        replica: int = 0,
        bead: int = 0,
        partner: int | None = None,
        step: int = 0,
        words: int = 4,
        beads: int = 1,
    ) -> None:
        if type(self) is Stream:
            raise TypeError("Stream is what the generators have in common: take one of beadwork.random.GENERATORS")
        if seed is None or isinstance(seed, SeedSequence):
            sequence = SeedSequence() if seed is None else seed
            self.seed = int(sequence.generate_state(1, np.uint64)[0]) % _SEEDS
        else:
            self.seed = whole("the seed, as in inputs,", seed, 0, _SEEDS - 1)
            sequence = SeedSequence(self.seed)
        replica, step = whole("replica", replica, 0, _MOST_OF_64), whole("step", step, 0, _MOST_STEP)
        bead, words = whole("bead", bead, 0, _MOST), whole("words", words, 0, _MOST)
        beads = whole("beads", beads, 0, _MOST)
        partner = None if partner is None else whole("partner", partner, 0, _MOST)
        if scheme is not None:
            scheme = text("scheme", scheme, self.schemes[0])
        if partner == 0:
            raise ArgumentError("partner is 0, and bead 0 is no larger number of a pair: leave it out for a single bead")
        super().__init__(sequence)
        self._sequence = sequence
        self._place: dict[str, Any] = {
            "replica": replica,
            "bead": bead,
            "partner": partner,
            "words": words,
            "beads": beads,
        }
        self._words = _beadwork.WordStream(
            self.generator, scheme, self.seed, replica, step, bead, partner or 0, beads, words
        )
        self.scheme = self._words.scheme
        self._words.connect(self.capsule)

    @property
    def state(self) -> dict[str, Any]:
        """All that the next words depend on, to be set on a bit generator of the same class.

        ``left`` are the words of the last step that were not taken yet, uint32 of shape (left,); ``states`` the state of a
        generator that has one, uint32; ``step`` is the next step.
        """
        with self.lock:
            step, left, states = self._words.state()
        return {
            "bit_generator": type(self).__name__,
            "scheme": self.scheme,
            "seed": self.seed,
            **self._place,
            "step": step,
            "left": left,
            "states": states,
        }

    @state.setter
    def state(self, value: Mapping[str, Any]) -> None:
        name = type(self).__name__
        value = mapping("state", value, "the state of another stream")
        if value.get("bit_generator") != name:
            raise ArgumentError(f"the state is one of {value.get('bit_generator')}, and this is a {name}")
        own = {"scheme": self.scheme, "seed": self.seed, **self._place}
        if missing := [key for key in (*own, "states", "step", "left") if key not in value]:
            raise ArgumentError(f"the state has no {missing[0]}: take the state of another stream")
        other = next((key for key, kept in own.items() if value[key] != kept), None)
        if other is not None:
            raise ArgumentError(
                f"the state is of {other} {value[other]}, and this stream of {own[other]}: make one of the same place, "
                "or copy the other one"
            )
        states = value["states"]
        with self.lock:
            self._words.restore(
                whole("step of the state", value["step"], 0, _MOST_STEP),
                np.ascontiguousarray(value["left"], dtype=np.uint32),
                None if states is None else np.ascontiguousarray(states, dtype=np.uint32),
            )

    def spawn(self: _Own, n_children: int) -> list[_Own]:
        """As many streams of the same scheme, place and number of words, with seeds that are drawn from this one's ``SeedSequence``."""
        children = self._sequence.spawn(whole("n_children", n_children, 0, _MOST))
        return [type(self)(seed, scheme=self.scheme, **self._place) for seed in children]

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self._sequence, self.state)

    def __repr__(self) -> str:
        place = ", ".join(f"{key} {value}" for key, value in self._place.items() if value is not None)
        return f"<beadwork.random.{type(self).__name__}: seed {self.seed}, {place}, {self.scheme}>"


def _again(kind: type[_Own], sequence: SeedSequence, state: Mapping[str, Any]) -> _Own:
    """The stream of a pickle."""
    place = {key: state[key] for key in ("scheme", "replica", "bead", "partner", "words", "beads")}
    stream = kind(int(state["seed"]), **place)
    stream._sequence = sequence
    stream.state = state
    return stream


class Philox4x32x10(Stream):
    """Philox of four words of 32 bits and ten rounds (Salmon and others, SC11, 2011), what simulations use by default.

    It has no state: words are a function of seed, replica, step and bead.
    """

    generator = "philox4x32-10"


class Philox4x32x7(Stream):
    """Philox of four words of 32 bits and seven rounds (Salmon and others, SC11, 2011). It has no state."""

    generator = "philox4x32-7"


class SaruTea(Stream):
    """`Saru`, seeded anew for each bead and step by eight rounds of TEA (Zafar, Olano and Curtis, HPG 2010), or published so.

    From Phillips, Anderson and Glotzer, J. Comput. Phys. 230, 7191 (2011). In the scheme ``one-per-call-published`` two seeds have
    the same words at other steps.
    """

    generator = "saru-tea"


class Saru(Stream):
    """Saru of Afshar and others, Comput. Phys. Commun. 184, 1119 (2013), seeded anew for each bead and step by its own hash.

    In the scheme ``one-per-thread`` each bead keeps a state of 8 bytes. Its hash was found weak, and HOOMD-blue dropped it.
    """

    generator = "saru"


class HybridTaus(Stream):
    """Three Tausworthe generators and a linear congruential one (Howes and Thomas, GPU Gems 3, 2007), as in SOP-GPU.

    Each bead keeps a state of 16 bytes. Low bits are nearly linear.
    """

    generator = "hybrid-taus"


class Ran2(Stream):
    """``ran2`` of *Numerical Recipes*, 2nd edition (1992): two multiplicative generators and a shuffle.

    Each bead keeps a state of 140 bytes, and beads 0 to 1,917,395 have streams here. Words have 31 bits, and all beads share one circle of 2.3·10¹⁸ numbers.
    """

    generator = "ran2"


class Xorwow(Stream):
    """xorwow of Marsaglia, J. Stat. Softw. 8, 14 (2003), with a state of 24 bytes for each bead. It fails three tests of BigCrush."""

    generator = "xorwow"


class LaggedFibonacci(Stream):
    """The sum of two earlier words, x[n] = x[n − short] + x[n − long] modulo 2³² (Zhmurov and others, arXiv:1003.1123, 2010).

    All beads of a replica share one sequence, whose lags grow with ``beads * words``. Three of its words correlate exactly.
    """

    generator = "lagged-fibonacci"


class Mt19937(Stream):
    """The Mersenne Twister (Matsumoto and Nishimura, ACM Trans. Model. Comput. Simul. 8, 3, 1998), which all beads share.

    The seeding is by ``init_by_array`` of four words, so ``numpy.random.MT19937`` has other words.
    """

    generator = "mt19937"


class Lcg(Stream):
    """A linear congruential generator modulo 2³² for each bead, which fails nearly every test. For comparisons only."""

    generator = "lcg"


def _catalogue(kinds: Sequence[type[Stream]]) -> dict[str, type[Stream]]:
    """The classes by name, in the order of the library, with what it says of each."""
    of_name = {kind.generator: kind for kind in kinds}
    for name, schemes, period, flaws in _beadwork.generators():
        kind = of_name[name]
        kind.schemes, kind.period, kind.flaws = tuple(schemes), period, flaws
    return {name: of_name[name] for name, *_ in _beadwork.generators()}


GENERATORS: dict[str, type[Stream]] = _catalogue(
    [Philox4x32x10, Philox4x32x7, SaruTea, Saru, HybridTaus, Ran2, Xorwow, LaggedFibonacci, Mt19937, Lcg]
)
"""The class of each generator by its name in inputs; those without known flaws come first."""
