"""Plays several stories in parallel, with one pipeline run for all that wait for it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from tests.scenarios.campaign import Today, Wait

Subject = TypeVar("Subject")
"""The object through which a story acts."""


@dataclass
class Player:
    """A running story: what it waits for, or how it ended."""

    acts: Iterator[Wait]
    wait: Wait | None = None
    failure: BaseException | None = None

    def advance(self) -> None:
        """Run the story until its next wait; its test reports a failure."""
        try:
            self.wait = next(self.acts, None)
        except BaseException as failure:
            self.wait, self.failure = None, failure


def play(
    stories: Mapping[str, Callable[[Subject], Iterator[Wait]]],
    subject: Callable[[str], Subject],
    today: Today,
    compute: Callable[[datetime], None],
) -> dict[str, BaseException | None]:
    """Play all stories to their ends, and return the failure of each."""
    players = {name: Player(story(subject(name))) for name, story in stories.items()}
    for player in players.values():
        player.advance()
    while waits := [player.wait for player in players.values() if player.wait is not None]:
        instant = min(wait.until for wait in waits)
        today.move(instant)
        if Wait(instant) in waits:
            compute(instant)
        for player in players.values():
            if player.wait is not None and player.wait.until == instant:
                player.advance()
    return {name: player.failure for name, player in players.items()}
