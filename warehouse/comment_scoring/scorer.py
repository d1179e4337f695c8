"""The interface of sentiment models, so that the present one can be replaced."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Label = Literal["positive", "neutral", "negative"]


@dataclass(frozen=True)
class Sentiment:
    """A text's language, and its sentiment if the model reads the language."""

    language: str
    """ISO 639-1 code; `und` if uncertain, `zxx` for a text without words."""

    label: Label | None
    """None: not scored, because the model does not read the language well enough."""

    compound: float | None
    """From -1 (worst) to 1 (best), four decimals; None if and only if `label` is."""


class SentimentModel(Protocol):
    @property
    def name(self) -> str:
        """Name and version. Another version may score the same text differently."""
        ...

    def score(self, texts: Sequence[str]) -> list[Sentiment]:
        """Score texts of any length and content, in at most a few milliseconds each."""
        ...
