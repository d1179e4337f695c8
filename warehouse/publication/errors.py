"""What can go wrong for a reader of publications."""


class NoPublication(LookupError):  # noqa: N818 (the name of the state: there is none)
    """Nothing was published yet, so there are no numbers to read."""

    def __init__(self) -> None:
        super().__init__("there is no publication yet; `tracker run` makes the first one")
