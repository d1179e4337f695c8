"""The signals that follow from a text alone, by the rules in `signals/*.toml`."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from warehouse.comment_scoring.data import HERE, SIGNALS, digest
from warehouse.comment_scoring.patterns import any_of, automaton, expression

REMOVED = " . "
"""What stands where an exception was: the end of one thought."""


DECIDES = [
    *SIGNALS.glob("*.toml"),
    *(HERE / f"{module}.py" for module in ("folding", "patterns", "rules")),
    HERE / "words" / "lookalikes.toml",
]
"""What a signal depends on."""


@dataclass(frozen=True)
class Signal:
    """One file of rules: what gives the signal, and what takes away what would."""

    name: str
    phrases: tuple[str, ...]
    exceptions: tuple[str, ...]

    @classmethod
    def read(cls, file: Path) -> "Signal":
        """Read a file; raises InvalidRuleError."""
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        lists = content.pop("lists", {})
        return cls(
            file.stem,
            tuple(_expressions(content, "phrases", lists)),
            tuple(_expressions(content, "unless", lists)),
        )


class SignalRules:
    """All signals that need nothing but the text: one automaton finds the candidates of a text."""

    def __init__(self) -> None:
        self.version = digest(DECIDES)

    def signals(self, words: str) -> list[str]:
        """Return the names of a text's signals by alphabet; `words` is what `folded` returns."""
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
        """What is taken away before a signal's phrases are looked for again."""
        return {
            signal.name: (any_of(signal.exceptions), automaton(signal.phrases))
            for signal in self._signals
            if signal.exceptions
        }

    def _holds(self, name: str, words: str) -> bool:
        """Tell whether the signal is still there without what its exceptions take away."""
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
