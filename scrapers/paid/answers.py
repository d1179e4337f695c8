"""A commercial provider's response before a dialect reads it. Pure functions."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.payload import Json


@dataclass(frozen=True, slots=True)
class Refused:
    """An error for one target of a run; `about` is a post's id, if known."""

    about: str | None
    error: ScrapeError


@dataclass(frozen=True, slots=True)
class ProviderAnswer:
    """A response, its errors per target, and how the run behind it failed, if it did."""

    tree: dict[str, Json]
    refused: tuple[Refused, ...] = ()
    ending: ScrapeError | None = None

    @contextmanager
    def explaining(self, about: str | None = None) -> Iterator[None]:
        """Replace a ScrapeError in the block by the provider's own reason for `about`."""
        try:
            yield
        except ScrapeError as missing:
            raise self._reason(about) or missing from missing

    def require_whole(self) -> None:
        """Raise ScrapeError if the response may be incomplete. Deleted posts leave no gap."""
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
