"""Errors of reading publications."""

from collections.abc import Collection


class NoPublication(LookupError):  # noqa: N818 (the name of the state: there is none)
    """Nothing was published yet."""

    def __init__(self) -> None:
        super().__init__(
            "there is no publication yet: create one with `tracker run`"
            " (`--no-scrape`: without fetching)"
        )


def is_locked(error: Exception) -> bool:
    """Return whether another process has a file open for writing. DuckDB's message names it."""
    return "Conflicting lock is held" in str(error)


class DamagedPublicationError(Exception):
    """A publication's manifest cannot be read, or an object in the bucket differs from it."""


class NotHereYetError(Exception):
    """The requested numbers are in a publication that was not fetched from the bucket yet.

    `shards` are the ones that have them.
    """

    def __init__(self, shards: Collection[str]) -> None:
        super().__init__(f"not fetched yet: the publication of shard {', '.join(sorted(shards))}")
