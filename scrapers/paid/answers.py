"""What a commercial provider told, before a dialect reads it. Pure."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json


@dataclass(frozen=True, slots=True)
class Refused:
    """One target of a run of which an error was told; `about` is a post's id, where it is known."""

    about: str | None
    error: ScrapeError


@dataclass(frozen=True, slots=True)
class ProviderAnswer:
    """An answer; what it tells errors of; and how the run behind it ended, where that was badly."""

    tree: dict[str, Json]
    refused: tuple[Refused, ...] = ()
    ending: ScrapeError | None = None

    @contextmanager
    def explaining(self, about: str | None = None) -> Iterator[None]:
        """Where what is read is missing, tell why: for one post of several, or for the only target.

        Raises the best reason there is.
        """
        try:
            yield
        except ScrapeError as missing:
            raise self._reason(about) or missing from missing

    def require_whole(self) -> None:
        """Raise ScrapeError where there may be more than was told. What is gone leaves no gap."""
        for refused_item in self.refused:
            if refused_item.error.outcome is not Outcome.POST_UNAVAILABLE:
                raise refused_item.error
        if self.ending is not None:
            raise self.ending

    def _reason(self, about: str | None) -> ScrapeError | None:
        errors = (
            refused_item.error
            for refused_item in self.refused
            if about in (refused_item.about, None)
        )
        return next(errors, self.ending)
