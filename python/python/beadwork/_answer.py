"""The answer of a run: values with errors, and what to know about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any


@dataclass(frozen=True)
class Value:
    """A number, or a list of numbers, with its unit and its error.

    Attributes:
        name: the stable name, such as ``radius_of_gyration``.
        words: the name in words; empty for values that words leave out.
        of: what it is of, such as a kind of molecule; empty for the whole system.
        unit: empty for numbers and in reduced units.
        value: ``None`` for a list.
        list: the numbers of a list.
        error: the standard error in the same unit; ``None`` where it is not known.
        deviation: the standard deviation of the values of which this is the mean.
        independent_values: the number of independent values on which the error rests.
        degrees_of_freedom: those of the error.
        law: the value by theory.
        bound: what the value must not exceed if theory and program are right.
        basis: the rows, replicas and choices on which it rests.
    """

    name: str
    words: str = ""
    of: str = ""
    unit: str = ""
    value: float | None = None
    list: tuple[float, ...] = ()
    error: float | None = None
    deviation: float | None = None
    independent_values: float | None = None
    degrees_of_freedom: float | None = None
    law: float | None = None
    bound: float | None = None
    basis: str = ""

    def __float__(self) -> float:
        if self.value is None:
            raise TypeError(f"{self.name} is a list of numbers, or not known")
        return self.value

    def __str__(self) -> str:
        shown = " ".join(map(str, self.list)) if self.value is None else f"{self.value + 0.0:g}"
        error = "" if self.error is None else f" ± {self.error:.2g}"
        of = f" of {self.of}" if self.of else ""
        return f"{self.words or self.name}{of}: {shown}{error} {self.unit}".rstrip()


@dataclass(frozen=True)
class Finding:
    """Something to know about an answer: a stable code, such as ``drift``, and a sentence."""

    code: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Group:
    """The replicas of one point of a sweep.

    Attributes:
        name: the settings of the point; empty without a sweep.
        point: its number, from 0.
        settings: the swept keys and their values as the input writes them.
        replicas: those that have begun.
        failed: those of them that failed.
        values: the values.
        findings: what the values rest on, and what is wrong with them.
    """

    name: str
    point: int
    settings: Mapping[str, str]
    replicas: int
    failed: int
    values: tuple[Value, ...]
    findings: tuple[Finding, ...] = ()
    stage: str = ""
    points: tuple[int, ...] = ()

    def __getitem__(self, name: str) -> Value:
        """The value of this name of the whole system, or of a part: ``group["radius_of_gyration"]``."""
        named = [value for value in self.values if value.name == name]
        found = next((value for value in named if not value.of), named[0] if len(named) == 1 else None)
        if found is None:
            names = ", ".join(dict.fromkeys(value.name for value in self.values))
            several = (
                f"there are several, of {', '.join(value.of for value in named)}"
                if named
                else f"the values are {names}"
            )
            raise KeyError(f"{name}: {several}")
        return found


@dataclass(frozen=True)
class Answer:
    """What a run says; ``str()`` is the text of ``summary.txt``.

    Attributes:
        groups: one for each point of the sweep, then fits over several points.
        findings: what concerns the whole run.
        words: the text of ``summary.txt``.
        data: the content of ``summary.json`` as dicts and lists.
    """

    groups: tuple[Group, ...]
    findings: tuple[Finding, ...]
    words: str = field(repr=False)
    data: dict[str, Any] = field(repr=False)

    @staticmethod
    def of_data(data: dict[str, Any], words: str) -> Answer:
        """The answer that `data`, the content of ``summary.json``, describes."""
        groups = tuple(_group(group) for group in data["groups"])
        return Answer(groups, _findings(data), words, data)

    @property
    def values(self) -> tuple[Value, ...]:
        """The values of all groups."""
        return tuple(value for group in self.groups for value in group.values)

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """The findings of all groups, then those of the whole run."""
        return tuple(finding for group in self.groups for finding in group.findings) + self.findings

    def __getitem__(self, name: str) -> Value:
        """The value of this name, where only one group has it: ``answer["unfolding_force"]``."""
        having = [group for group in self.groups if any(value.name == name for value in group.values)]
        if len(having) == 1:
            return having[0][name]
        names = ", ".join(dict.fromkeys(value.name for value in self.values))
        problem = "several groups have it; take one of .groups" if having else f"the values are {names}"
        raise KeyError(f"{name}: {problem}")

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __str__(self) -> str:
        return self.words

    def _repr_html_(self) -> str:
        return "<table>" + "".join(rows_of(self)) + "</table>"


def rows_of(answer: Answer) -> Iterator[str]:
    """The rows of an HTML table: a row for each value in words, and one for each finding."""
    for group in answer.groups:
        for value in group.values:
            if value.words and value.value is not None:
                name = ": ".join(filter(None, [group.name, value.words + (f" of {value.of}" if value.of else "")]))
                error = "" if value.error is None else f" ± {value.error:.2g}"
                yield _row(name, f"{value.value + 0.0:.6g}{error} {value.unit}".rstrip())
    for finding in answer.all_findings:
        yield _row(finding.code, finding.text)


def _row(name: str, content: str) -> str:
    return f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(content)}</td></tr>'


def _findings(data: Mapping[str, Any]) -> tuple[Finding, ...]:
    return tuple(Finding(one["code"], one["text"]) for one in data.get("findings", ()))


def _group(data: dict[str, Any]) -> Group:
    settings = {one["key"]: one["value"] for one in data.get("settings", ())}
    known = {
        "value",
        "error",
        "deviation",
        "independent_values",
        "degrees_of_freedom",
        "law",
        "bound",
        "name",
        "words",
        "of",
        "unit",
        "basis",
    }
    values = tuple(
        Value(list=tuple(one.get("list", ())), **{key: inner for key, inner in one.items() if key in known})
        for one in data["values"]
    )
    return Group(
        data["name"],
        data["point"],
        settings,
        data["replicas"],
        data["failed"],
        values,
        _findings(data),
        data.get("stage", ""),
        tuple(data.get("points", ())),
    )
