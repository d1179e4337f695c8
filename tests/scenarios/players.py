"""Plays several stories side by side, with one pass of the pipeline for all that ask for it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from tests.scenarios.campaign import Campaign, Story


@dataclass
class Player:
    """A story under way: what it waits for, or how it ended."""

    acts: Iterator[datetime]
    until: datetime | None = None
    failure: BaseException | None = None

    def go_on(self) -> None:
        """Let it act until it asks to be computed; what goes wrong is told where it is tested."""
        try:
            self.until = next(self.acts, None)
        except BaseException as failure:
            self.until, self.failure = None, failure


def play(
    stories: Mapping[str, Story],
    campaign: Callable[[str], Campaign],
    compute: Callable[[datetime], None],
) -> dict[str, BaseException | None]:
    """Play all stories to their ends; return what each failed with."""
    players = {name: Player(story(campaign(name))) for name, story in stories.items()}
    for player in players.values():
        player.go_on()
    while waiting := [player for player in players.values() if player.until is not None]:
        instant = min(player.until for player in waiting if player.until is not None)
        compute(instant)
        for player in waiting:
            if player.until == instant:
                player.go_on()
    return {name: player.failure for name, player in players.items()}
