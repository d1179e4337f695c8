"""Items of a run: which are errors, about what, and whether more may follow. Pure functions."""

from collections.abc import Collection

from scrapers import payload
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.answers import Refused
from scrapers.paid.run_settings import ItemErrors, Runs
from scrapers.payload import Json, text_at
from scrapers.urls.posts import parse_post_url

_LONGEST_WORDS = 200


def items_of(answer: dict[str, Json]) -> list[Json]:
    """Return the items in a response that a run's client assembled, without errors."""
    return payload.items_at(answer, "items")


def is_error(item: Json, errors: ItemErrors) -> bool:
    return any(_words(item, errors))


def refused_in(
    items: Collection[Json], errors: ItemErrors, *, if_missing: Outcome
) -> tuple[Refused, ...]:
    """Return the errors among items, without those that only mean an empty result.

    `if_missing` is the meaning of a missing account, or of whatever was requested.
    """
    refused = []
    for item in items:
        post_id = _post_in(item, errors)
        missing = Outcome.POST_UNAVAILABLE if post_id else if_missing
        if error := _error(item, errors, missing):
            refused.append(Refused(post_id, error))
    return tuple(refused)


def depth(cursor: str | None, runs: Runs) -> int:
    """Return how many posts the page at a cursor requests: each page requests more."""
    return int(cursor) if cursor else runs.depths[0]


def cursor_behind(answer: dict[str, Json], runs: Runs, video_count: int | None) -> str | None:
    """Return the cursor of the next page, None at the end.

    The end is the last of the depths, or fewer items than requested. If the profile has more posts
    than came (`video_count`), fewer items are not the end: a deeper run may have the rest.
    """
    requested, came = payload.number_at(answer, "wanted") or 0, len(items_of(answer))
    if came < requested and (video_count is None or came >= video_count):
        return None
    deeper = next((depth for depth in runs.depths if depth > requested), None)
    return None if deeper is None else str(deeper)


def _words(item: Json, errors: ItemErrors) -> list[str]:
    return [words for path in errors.words if (words := text_at(item, path))]


def _error(item: Json, errors: ItemErrors, if_missing: Outcome) -> ScrapeError | None:
    words = " / ".join(_words(item, errors))
    if not words:
        return None
    meaning = next(
        (
            known_error.outcome
            for known_error in errors.known
            if known_error.says.casefold() in words.casefold()
        ),
        Outcome.SCHEMA_CHANGED,
    )
    if meaning is Outcome.OK:
        return None
    outcome = if_missing if meaning is Outcome.NOT_FOUND else meaning
    return ScrapeError(
        outcome,
        f"the provider's error {words[:_LONGEST_WORDS]!r}",
        raw_sample=payload.sample_of(item),
    )


def _post_in(item: Json, errors: ItemErrors) -> str | None:
    links = (parse_post_url(text_at(item, path) or "") for path in errors.urls)
    return next((link.platform_video_id for link in links if link), None)
