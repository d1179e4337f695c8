"""A walk beside the model: choosing what a call is about, and comparing after each."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant

from tests.serving_api.contract_model import shown
from tests.serving_api.contract_model.stage import OpenStage, Thing
from tests.serving_api.contract_model.things import Account, Video

T = TypeVar("T")
WHICH = st.integers(0, 5)
FEW = st.lists(WHICH, min_size=1, max_size=3, unique=True)
"""Numbers of things in the order in which they were made, modulo how many there are."""


class Walk(RuleBasedStateMachine):
    """Calls are rules of subclasses; each may be refused."""

    def __init__(self, open_stage: OpenStage) -> None:
        super().__init__()
        self._opened = ExitStack()
        self.stage = self._opened.enter_context(open_stage())
        self.model = self.stage.model
        self._turn = 0
        self._touched: list[Thing] = []

    def one_of(self, things: Sequence[T], which: int) -> T:
        return things[which % len(things)]

    def some_of(self, things: Sequence[T], which: list[int]) -> list[T]:
        return list(dict.fromkeys(self.one_of(things, number) for number in which))

    def touch(self, *things: Thing) -> None:
        """Say what the call of this step is about."""
        self._touched = list(things)

    def videos_of(self, *accounts: Account) -> list[Video]:
        return [video for video in self.model.videos if video.account in accounts]

    @invariant()
    def api_shows_what_the_model_has(self) -> None:
        """Single videos take turns, beside what the last call was about."""
        self._turn += 1
        things, self._touched = self._touched, []
        if self.model.videos:
            things.append(self.one_of(self.model.videos, self._turn))
        shown.compare_things(self.stage, list(dict.fromkeys(things)))
        shown.compare_lists(self.stage, self._turn)
        shown.hold_limits(self.stage)

    def teardown(self) -> None:
        self._opened.close()
