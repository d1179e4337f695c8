"""What can go wrong for a reader of publications."""

from collections.abc import Collection


class NoPublication(LookupError):  # noqa: N818 (the name of the state: there is none)
    """Nothing was published yet, so there are no numbers to read."""

    def __init__(self) -> None:
        super().__init__("there is no publication yet; `tracker run` makes the first one")


class NotHereYetError(Exception):
    """The numbers that are asked for are in a publication that was not taken from the bucket yet.

    `shards` are those that have them.
    """

    def __init__(self, shards: Collection[str]) -> None:
        super().__init__(f"not here yet: the publication of shard {', '.join(sorted(shards))}")
