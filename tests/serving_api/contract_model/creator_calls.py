"""Calls about creators and accounts that a walk makes. Deactivating: `deactivation_calls`."""

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.serving_api.contract_model import accounts
from tests.serving_api.contract_model.things import Tracking
from tests.serving_api.contract_model.walk import WHICH, Walk
from tests.serving_api.contract_model.written import (
    HANDLES,
    READABLE,
    TRACKINGS,
    WRITTEN,
    Written,
    tracking_body,
)

DISPLAY_NAMES = st.sampled_from([None, "Ada"])
TOO_LONG = "x" * 101


class CreatorCalls(Walk):
    """Creating, changing and removing creators and their accounts."""

    @initialize(written=READABLE)
    def begin(self, written: Written) -> None:
        """A walk without any creator leads nowhere."""
        self.create_creator(None, [written._replace(tracking=Tracking())])

    @rule(display_name=DISPLAY_NAMES, written=st.lists(WRITTEN, min_size=1, max_size=3))
    def create_creator(self, display_name: str | None, written: list[Written]) -> None:
        wanted = [one.wanted(self.stage) for one in written]
        body = {
            "project_id": self.stage.project,
            "display_name": display_name,
            "accounts": [one.body(self.stage) for one in written],
        }
        did = self.stage.ask(
            "POST",
            "/creators",
            lambda: accounts.create_creator(self.model, display_name, wanted),
            body,
            status=201,
        )
        if did:
            creator, answer = did
            creator.id = answer["data"]["id"]
            made = self.model.accounts_of(creator)
            for account, row in zip(made, answer["data"]["accounts"], strict=True):
                account.id = row["id"]
            self.touch(creator, *made, *self.videos_of(*made))

    @rule(which=WHICH, written=WRITTEN)
    def add_account(self, which: int, written: Written) -> None:
        creator = self.one_of(self.model.creators, which)
        did = self.stage.ask(
            "POST",
            f"/creators/{creator.id}/accounts",
            lambda: accounts.add_account(self.model, creator, written.wanted(self.stage)),
            written.body(self.stage),
            status=201,
        )
        if did:
            account, answer = did
            account.id = answer["data"]["id"]
            self.touch(creator, account, *self.videos_of(account))

    @rule(which=WHICH, name=st.none() | HANDLES, tracking=TRACKINGS)
    def change_account(self, which: int, name: int | None, tracking: Tracking) -> None:
        account = self.one_of(self.model.accounts, which)
        handle = None if name is None else self.stage.handle(name)
        self.touch(account, account.creator)
        self.stage.ask(
            "PATCH",
            f"/accounts/{account.id}",
            lambda: accounts.change_account(self.model, account, handle, tracking),
            tracking_body(tracking) | ({"handle": handle} if handle else {}),
        )

    @rule(which=WHICH)
    def remove_account(self, which: int) -> None:
        account = self.one_of(self.model.accounts, which)
        path = f"/accounts/{account.id}"
        self.touch(account, account.creator, *self.videos_of(account))
        self.stage.ask("DELETE", path, lambda: accounts.remove_account(account))

    @rule(which=WHICH, is_patched=st.booleans())
    def remove_creator(self, which: int, is_patched: bool) -> None:
        creator = self.one_of(self.model.creators, which)
        path = f"/creators/{creator.id}"
        self.touch(creator, *self.model.accounts_of(creator))
        self.stage.ask(
            "PATCH" if is_patched else "DELETE",
            path,
            lambda: accounts.remove_creator(self.model, creator),
            {"is_active": False} if is_patched else None,
        )

    @rule(which=WHICH)
    def ask_for_a_removed_creator_back(self, which: int) -> None:
        """It changes nothing: not one that was removed, not one that is there."""
        creator = self.one_of(self.model.creators, which)
        self.touch(creator, *self.model.accounts_of(creator))
        self.stage.ask("PATCH", f"/creators/{creator.id}", lambda: None, {"is_active": True})

    @rule(which=WHICH, display_name=st.sampled_from(["Bo", TOO_LONG]))
    def rename_creator(self, which: int, display_name: str) -> None:
        creator = self.one_of(self.model.creators, which)
        self.touch(creator)
        self.stage.ask(
            "PATCH",
            f"/creators/{creator.id}",
            lambda: accounts.rename_creator(creator, display_name),
            {"display_name": display_name},
        )
