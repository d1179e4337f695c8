"""Calls that deactivate and reactivate accounts and creators, with every choice, in a walk."""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.serving_api.contract_model import deactivations
from tests.serving_api.contract_model.shown import path_of
from tests.serving_api.contract_model.things import Account, Creator, Deactivation
from tests.serving_api.contract_model.walk import WHICH, Walk

DEACTIVATE = st.fixed_dictionaries(
    {"videos": st.sampled_from(["keep_tracking", "freeze", "stop_tracking"])},
    optional={"reason": st.just("Away")},
)
REACTIVATE = st.builds(
    deactivations.Choice,
    st.sampled_from(["inbox", "track", "ignore"]),
    st.sampled_from(["resume", "resume", "keep", "stop", None]),
)


class DeactivationCalls(Walk):
    """Deactivating and reactivating, one account alone or a creator with all of its own."""

    @rule(which=WHICH, body=DEACTIVATE)
    def deactivate_account(self, which: int, body: dict[str, str]) -> None:
        account = self.one_of(self.model.accounts, which)

        def does() -> deactivations.Result:
            deactivation = self._deactivation(body, via_creator=False)
            return deactivations.deactivate_account(self.model, account, deactivation)

        self._ask_about_one(account, body, does)

    @rule(which=WHICH, body=DEACTIVATE)
    def deactivate_creator(self, which: int, body: dict[str, str]) -> None:
        creator = self.one_of(self.model.creators, which)

        def does() -> deactivations.Result:
            deactivation = self._deactivation(body, via_creator=True)
            return deactivations.deactivate_creator(self.model, creator, deactivation)

        self._ask_about_one(creator, body, does)

    @rule(which=WHICH, choice=REACTIVATE)
    def reactivate_account(self, which: int, choice: deactivations.Choice) -> None:
        account = self.one_of(self.model.accounts, which)
        self._ask_about_one(
            account,
            choice._asdict(),
            lambda: deactivations.reactivate_account(self.model, account, choice, self.stage.now),
        )

    @rule(which=WHICH, choice=REACTIVATE)
    def reactivate_creator(self, which: int, choice: deactivations.Choice) -> None:
        creator = self.one_of(self.model.creators, which)
        self._ask_about_one(
            creator,
            choice._asdict(),
            lambda: deactivations.reactivate_creator(self.model, creator, choice, self.stage.now),
        )

    def _deactivation(self, body: Mapping[str, str], *, via_creator: bool) -> Deactivation:
        return Deactivation(self.stage.now, body["videos"], body.get("reason"), via_creator)

    def _ask_about_one(
        self,
        thing: Account | Creator,
        body: Mapping[str, Any],
        does: Callable[[], deactivations.Result],
    ) -> None:
        """Ask, and hold what the answer's `result` says was changed."""
        owned = [thing] if isinstance(thing, Account) else self.model.accounts_of(thing)
        action = "deactivate" if "videos" in body else "reactivate"
        self.touch(thing, *owned, *self.videos_of(*owned))
        did = self.stage.ask("POST", f"{path_of(thing)}/{action}", does, body)
        if did:
            expected, answer = did
            result = answer["data"]["result"]
            assert {name: result[name] for name in expected} == expected
