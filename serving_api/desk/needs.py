"""What waits for somebody, as pages list it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that waits for somebody; `path` is where in the project, "" where no page is."""

    text: str
    is_urgent: bool = False
    path: str = ""
