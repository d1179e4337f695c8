"""Signals that follow from the text alone, by the rules in `signals/*.toml`."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from warehouse.comment_scoring.data import HERE, SIGNALS, digest
from warehouse.comment_scoring.patterns import any_of, automaton, expression

REMOVED = " . "
"""Replaces a matched exception: a sentence boundary."""


DECIDES = [
    *SIGNALS.glob("*.toml"),
    *(HERE / f"{module}.py" for module in ("folding", "patterns", "rules")),
    HERE / "words" / "lookalikes.toml",
]
"""Files that decide on signals."""


@dataclass(frozen=True)
class Signal:
    """The phrases of a signal, and the exceptions removed before matching."""

    name: str
    phrases: tuple[str, ...]
    exceptions: tuple[str, ...]

    @classmethod
    def read(cls, file: Path) -> "Signal":
        """Read a file of rules. Raises InvalidRuleError."""
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        lists = content.pop("lists", {})
        return cls(
            file.stem,
            tuple(_expressions(content, "phrases", lists)),
            tuple(_expressions(content, "unless", lists)),
        )


class SignalRules:
    """All signals that need only the text. One automaton finds the candidates."""

    def __init__(self) -> None:
        self.version = digest(DECIDES)

    def signals(self, words: str) -> list[str]:
        """Return a text's signals, sorted. `words` is the result of `folded`."""
        names, phrases = self._candidates
        candidates = {names[index] for index in phrases.Match(words) or ()}
        return sorted(name for name in candidates if self._holds(name, words))

    @cached_property
    def _signals(self) -> list[Signal]:
        return [Signal.read(file) for file in sorted(SIGNALS.glob("*.toml"))]

    @cached_property
    def _candidates(self) -> tuple[list[str], Any]:
        """All phrases as one automaton, and the signal of each."""
        names = [signal.name for signal in self._signals for _ in signal.phrases]
        return names, automaton(phrase for signal in self._signals for phrase in signal.phrases)

    @cached_property
    def _exceptions(self) -> dict[str, tuple[Any, Any]]:
        """By signal: its exceptions, and its phrases to match again without them."""
        return {
            signal.name: (any_of(signal.exceptions), automaton(signal.phrases))
            for signal in self._signals
            if signal.exceptions
        }

    def _holds(self, name: str, words: str) -> bool:
        """Return whether the signal still matches after its exceptions are removed."""
        if name not in self._exceptions:
            return True
        exceptions, phrases = self._exceptions[name]
        left = exceptions.sub(REMOVED, words)
        return left == words or bool(phrases.Match(left))


def _expressions(
    content: Mapping[str, Any], kind: str, lists: Mapping[str, list[str]]
) -> Iterator[str]:
    for language in content.values():
        for phrase in language.get(kind, ()):
            yield expression(phrase, lists, anywhere=language.get("anywhere", False))
