"""Calls about creators and accounts that a walk makes. Deactivating: `deactivation_calls`."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.serving_api.contract_model import accounts
from tests.serving_api.contract_model.things import Creator, Tracking
from tests.serving_api.contract_model.walk import WHICH, Walk
from tests.serving_api.contract_model.written import (
    HANDLES,
    TRACKINGS,
    WRITTEN,
    Written,
    tracking_body,
)

DISPLAY_NAMES = st.sampled_from([None, "Ada"])
CHANGES = st.sampled_from(
    [{"display_name": "Bo"}, {"display_name": "x" * 101}, {"is_active": True}]
)


class CreatorCalls(Walk):
    """Creating, changing and removing creators and their accounts."""

    @rule(display_name=DISPLAY_NAMES, written=st.lists(WRITTEN, min_size=1, max_size=3))
    def create_creator(self, display_name: str | None, written: list[Written]) -> None:
        new_accounts = [account.wanted(self.stage) for account in written]
        body = {
            "project_id": self.stage.project,
            "display_name": display_name,
            "accounts": [account.body(self.stage) for account in written],
        }
        did = self.stage.ask(
            "POST",
            "/creators",
            lambda: accounts.create_creator(self.model, display_name, new_accounts),
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
        self._add_account(self.one_of(self.model.creators, which), written)

    @precondition(lambda self: any(not account.is_active for account in self.model.accounts))
    @rule(which=WHICH, removed=WHICH)
    def add_handle_again(self, which: int, removed: int) -> None:
        """A removed account's: its videos come along."""
        gone = [account for account in self.model.accounts if not account.is_active]
        written = Written.again(self.stage, self.one_of(gone, removed))
        self._add_account(self.one_of(self.model.creators, which), written)

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

    @rule(which=WHICH, changes=CHANGES)
    def change_creator(self, which: int, changes: dict[str, Any]) -> None:
        """Among it to be active, which changes nothing: who was removed stays so."""
        creator = self.one_of(self.model.creators, which)
        name = changes.get("display_name", creator.display_name)
        self.touch(creator, *self.model.accounts_of(creator))
        self.stage.ask(
            "PATCH",
            f"/creators/{creator.id}",
            lambda: accounts.rename_creator(creator, name),
            changes,
        )

    def _add_account(self, creator: Creator, written: Written) -> None:
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
