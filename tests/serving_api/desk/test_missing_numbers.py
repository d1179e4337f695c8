"""A creator's page explains missing numbers: the reason, since when, and what helps.

Business time is 20 May 2026, 12:00 UTC. Each case is a creator with one account of that name.
"""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy.orm import Session

from tests.factories.instants import at
from tests.factories.visitors import read
from tests.fixtures.api import NOW, Api, Tenant, new_tenant
from tests.fixtures.desk import Sitter
from warehouse.ids import uuid7
from warehouse.operational.models import (
    Account,
    AccountConnection,
    AccountFetch,
    AccountProfileChange,
    Project,
)

LINK = "Create connect link"


def private(session: Session, account: Account) -> None:
    account.is_private = True
    account.last_scraped_at = at(20)
    privacy = {"is_private": {"from": False, "to": True}}
    for day, changes in ((8, privacy), (12, privacy), (14, {"handle": {"from": "a", "to": "b"}})):
        row = AccountProfileChange(
            id=uuid7(),
            organization_id=account.organization_id,
            account_id=account.id,
            observed_at=at(day),
            changes=changes,
        )
        session.add(row)


def gone(_session: Session, account: Account) -> None:
    account.profile_outcome, account.profile_looked_at = "not_found", at(20)
    account.last_scraped_at = at(11)


def refused(_session: Session, account: Account) -> None:
    account.last_scraped_at = at(20)


def later(_session: Session, account: Account) -> None:
    account.tracking_start_date = date(2026, 6, 1)


def ended(_session: Session, account: Account) -> None:
    account.tracking_start_date, account.tracking_end_date = date(2026, 5, 1), date(2026, 5, 9)


def deactivated(_session: Session, account: Account) -> None:
    account.deactivated_at = at(14)


def vanished(session: Session, account: Account) -> None:
    """Posts of earlier days are still checked, but none of them is available any more."""
    ended(session, account)
    gone(session, account)


def stale(_session: Session, account: Account) -> None:
    account.last_scraped_at = at(15)


def broken(session: Session, account: Account) -> None:
    account.last_scraped_at = at(15)
    session.add(
        AccountConnection(
            organization_id=account.organization_id,
            account_id=account.id,
            platform="tiktok",
            subject="broken",
            scopes=[],
            tokens_encrypted=b"",
            access_expires_at=NOW + timedelta(days=90),
            expires_at=NOW + timedelta(days=90),
            connected_at=at(1),
            broken_at=at(16),
            broken_reason="revoked",
        )
    )


def fine(session: Session, account: Account) -> None:
    account.last_scraped_at = at(20)
    due = {"account_due_at": at(20, 18), "due_at": at(20, 18)}
    session.add(
        AccountFetch(platform="tiktok", subject=f"@{account.handle}", reason="steady", **due)
    )


CASES: dict[Callable[[Session, Account], None], tuple[str, bool]] = {
    private: ("private: only followers see its posts, since 12 May 2026, 10:00 Ask the", True),
    gone: ("the platform has no such account, last seen 11 May 2026, 10:00 Check the", False),
    refused: ("refused 4 of 4 checks, since 20 May 2026, 02:00 The platform refuses", True),
    later: ("posts before 1 Jun 2026 are not tracked To track them, change the dates", False),
    ended: ("posts after 9 May 2026 are not tracked Older posts stay tracked.", False),
    vanished: ("the platform has no such account, last seen 11 May 2026", False),
    deactivated: ("deactivated, since 14 May 2026, 10:00 Its history is kept.", False),
    stale: ("checks do not succeed, last success 15 May 2026, 10:00 Check that", True),
    broken: (
        "its connection broke: the creator revoked the authorization, since 16 May 2026",
        True,
    ),
}


INSTAGRAM_REFUSES = {
    "platform": "instagram",
    "is_refusing": True,
    "fetches": 3,
    "refused": 2,
    "refused_since": at(17, 22),
    "outcome": "rate_limited",
}


@pytest.fixture(scope="module")
def watched(apart: Api) -> Iterator[Tenant]:
    with new_tenant(apart) as tenant:
        for case in (*CASES, fine):
            made = tenant.creator(case.__name__)
            account_id = UUID(made["accounts"][0]["id"])
            with apart.store.write_session() as session:
                case(session, session.get_one(Account, account_id))
            if case is refused:
                looks = refusals(str(account_id))
        walled = tenant.creator("walled")
        account = {"platform": "instagram", "handle": "walled"}
        tenant.client.data("POST", f"/creators/{walled['id']}/accounts", json=account)
        tenant.publish(looks=looks, statuses=[INSTAGRAM_REFUSES])
        yield tenant


def refusals(account: str) -> list[dict[str, Any]]:
    """Fetches of the last day: TikTok answers, except for one account."""
    return [
        {
            "platform": "tiktok",
            "account_id": whose,
            "outcome": outcome,
            "looks": number,
            "first_at": at(20, 2),
            "last_at": at(20, 2),
        }
        for whose, outcome, number in ((None, "ok", 90), (account, "challenged", 4))
    ]


def creators_of(tenant: Tenant, search: str) -> str:
    return f"/desk/projects/{tenant.project_id}/creators?search={search}"


def page_of(sitter: Sitter, name: str) -> str:
    client = sitter.tenant.client
    [creator] = client.data("GET", "/creators", params={"search": name})
    return read(sitter.get(f"{sitter.home}/creators/{creator['id']}"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_the_reason_is_shown_with_its_time_and_remedy(
    watched: Tenant, case: Callable[[Session, Account], None]
) -> None:
    text = page_of(Sitter(watched, role="member"), case.__name__)
    sentence, connects = CASES[case]
    assert f"Missing numbers TikTok @{case.__name__}: {sentence}" in text
    assert (LINK in text) == connects
    listed = read(Sitter(watched, role="member").get(creators_of(watched, case.__name__)))
    first = sentence.partition(", ")[0].partition(" To track")[0].partition(" Older")[0]
    said = "No active account" if case is deactivated else f"{first[0].upper()}{first[1:]}"
    assert said in listed
    assert "Tracked" not in listed


def test_a_platform_that_refuses_is_the_reason(watched: Tenant) -> None:
    text = page_of(Sitter(watched, role="member"), "walled")
    refuses = "Instagram @walled: Instagram refuses our checks, since 17 May 2026, 22:00"
    assert f"Missing numbers {refuses} The platform limits" in text


def test_an_account_checked_in_time_shows_its_next_check(watched: Tenant) -> None:
    text = page_of(Sitter(watched, role="member"), "fine")
    assert "Checked 20 May 2026, 10:00, next check 20 May 2026, 18:00" in text
    assert "Missing numbers" not in text


@pytest.mark.slow
@pytest.mark.parametrize("unregistered", [("tiktok",), ("tiktok", "instagram")])
def test_links_are_not_offered_where_the_platform_cannot_be_connected(
    watched: Tenant, unregistered: tuple[str, ...]
) -> None:
    api = watched.api
    without = {
        f"{platform}_login_client_{part}": None
        for platform in unregistered
        for part in ("id", "secret")
    }
    with api.changed(**without) as served:
        member = Sitter(Tenant(served, watched.made, watched.client), role="member")
        assert LINK not in page_of(member, "private")
        health = member.get(f"{member.home}/health").text
        assert "1 private account" in health
        assert "for <bdi>private</bdi>" not in health
        assert ("Action</span></th>" in health) == ("instagram" not in unregistered)
    member = Sitter(watched, role="member")
    assert "for <bdi>private</bdi>" in member.get(f"{member.home}/health").text


def test_an_archived_project_is_never_checked_even_if_others_track_its_accounts(
    watched: Tenant,
) -> None:
    """Other organizations still check "fine", but its next check is not shown here."""
    with watched.api.store.write_session() as session:
        session.get_one(Project, watched.project_id).is_archived = True
    assert "next check" not in page_of(Sitter(watched, role="member"), "fine")
