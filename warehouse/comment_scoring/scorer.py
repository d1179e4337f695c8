"""What any model of sentiment must offer, so that another can take the place of the present one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Label = Literal["positive", "neutral", "negative"]


@dataclass(frozen=True)
class Sentiment:
    """A text's language and, where the model reads that language, how it feels."""

    language: str
    """ISO 639-1 code as far as the text tells; `und` in doubt, `zxx` for a text without words."""

    label: Label | None
    """None: not scored, because the model does not read the language well enough."""

    compound: float | None
    """From -1 (worst) to 1 (best), four decimals; None exactly where `label` is."""


class SentimentModel(Protocol):
    """A model with a name that says how its scores came about."""

    @property
    def name(self) -> str:
        """Name and version: another version may score the same text otherwise."""
        ...

    def score(self, texts: Sequence[str]) -> list[Sentiment]:
        """Score texts of any length and content, in at most a few milliseconds each."""
        ...
