"""Health at the desk: problems with a project's numbers, and how to fix them.

Business time is 20 May 2026, 12:00 UTC. The only pipeline run had data of the 18th until 10:00, so
50 hours have passed. Instagram refused 2 of 3 fetches; one account was refused, and its connection
broke. Pia's is private, Dee's was not checked for an unknown reason.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import update

from serving_api.resources.programs.program_health import repository
from tests.factories import marts
from tests.factories.tracking import put_post
from tests.factories.visitors import read
from tests.fixtures.api import NOW, Api, Tenant, new_tenant
from tests.fixtures.desk import Sitter
from tests.fixtures.statements import statements_sent
from warehouse.fetch_schedule.freshness import WORDS
from warehouse.operational.models import Account, AccountConnection, Video

HOSTILE = '<script>alert("x")</script> \u202e'
AS_OF = datetime(2026, 5, 18, 10, tzinfo=UTC)
SOON = datetime(2026, 8, 1, tzinfo=UTC)


def fetch_rows(account: str) -> list[dict[str, Any]]:
    ended = {
        ("tiktok", None, "ok"): 9,
        ("tiktok", account, "challenged"): 4,
        ("instagram", None, "ok"): 1,
        ("instagram", None, "rate_limited"): 2,
    }
    first = AS_OF - timedelta(hours=12)
    return [
        {
            "platform": platform,
            "account_id": whose,
            "outcome": outcome,
            "looks": number,
            "first_at": first,
            "last_at": first,
        }
        for (platform, whose, outcome), number in ended.items()
    ]


def add_connection(tenant: Tenant, account: str, **columns: Any) -> None:
    with tenant.api.store.write_session() as session:
        session.add(
            AccountConnection(
                organization_id=tenant.organization_id,
                account_id=UUID(account),
                platform="tiktok",
                subject="ada",
                scopes=[],
                tokens_encrypted=b"",
                access_expires_at=SOON,
                expires_at=SOON,
                connected_at=AS_OF,
                **columns,
            )
        )


INSTAGRAM_REFUSES = {
    "platform": "instagram",
    "is_refusing": True,
    "fetches": 3,
    "refused": 2,
    "refused_since": datetime(2026, 5, 17, 22, tzinfo=UTC),
    "outcome": "rate_limited",
}


@pytest.fixture(scope="module")
def member(apart: Api) -> Iterator[Sitter]:
    """A member of a project with all of these problems; the creator is called HOSTILE."""
    with new_tenant(apart) as tenant:
        refused = tenant.creator("bea")["accounts"][0]["id"]
        add_connection(tenant, refused, refused_since=AS_OF, retry_at=SOON)
        ada = tenant.creator("ada", display_name=HOSTILE)
        account = ada["accounts"][0]["id"]
        add_connection(tenant, account, broken_at=AS_OF, broken_reason="revoked")
        tenant.creator("dee")
        private = UUID(tenant.creator("pia")["accounts"][0]["id"])
        unread = marts.Video(
            "unread",
            {AS_OF - timedelta(days=2): {"view": 900, "like": 5}, AS_OF: {"like": 6}},
            posted_at=AS_OF - timedelta(days=3),
            creator=UUID(ada["id"]),
            account=UUID(account),
        )
        own: dict[str, Any] = {"creator": UUID(ada["id"]), "account": UUID(account)}
        added = {
            name: marts.Video(name, due_from=AS_OF - timedelta(hours=hours), **own)
            for name, hours in (("never", 29), ("young", 27))
        }
        reel = marts.Video(
            "reel",
            {AS_OF: {"like": 3}},
            platform="instagram",
            due_from=AS_OF - timedelta(hours=30),
            **own,
        )
        with apart.store.write_session() as session:
            caption = "A reel that guests cannot see"
            put_post(session, tenant.made, unread, tracking_status="auto_tracked", caption=caption)
            for post in (*added.values(), reel):
                put_post(session, tenant.made, post, caption=post.name)
            session.get_one(Video, added["never"].id).created_at = AS_OF - timedelta(hours=29)
            own = Account.organization_id == tenant.organization_id
            session.execute(update(Account).where(own).values(created_at=AS_OF))
            session.get_one(Account, private).is_private = True
        tenant.creator("cyd")
        posts = [unread, *added.values(), reel]
        tenant.publish(posts, as_of=AS_OF, looks=fetch_rows(account), statuses=[INSTAGRAM_REFUSES])
        yield Sitter(tenant, role="member")


def creator_ids(member: Sitter) -> dict[str, str]:
    """Creator ids by their account's handle."""
    creators = member.tenant.client.data("GET", "/creators")
    return {creator["accounts"][0]["handle"]: creator["id"] for creator in creators}


def test_problems_are_shown_with_remedies(member: Sitter) -> None:
    page = member.get(f"{member.home}/health")
    text = read(page)
    assert "Problems: no new numbers for 50 hours; Instagram refuses checks; 1 c" in text
    assert "1 private account; " in text
    assert "; views of 3 posts could not be read. Numbers" in text
    assert "No new numbers for 50 hours: they are as of 18 May 2026, 10:00." in text
    assert "Instagram refuses 2 of 3 checks since 17 May 2026, 22:00." in text
    assert "The platform limits the number of requests." in text
    assert "TikTok: responding normally" in text
    assert f"Schedule: standard, while fetching runs all day. {WORDS['standard']}" in text
    assert "1 connection broken" in text
    assert "the creator revoked the authorization, detected 18 May 2026, 10:00" in text
    assert "1 connection refused" in text
    assert "Authorization refused since 18 May 2026, 10:00" in text
    assert "4 of 4 checks refused. The platform refuses" in text
    assert "1 new account waiting for its first check." in text
    creators = creator_ids(member)
    assert f'{member.home}/creators/{creators["ada"]}"' in page.text
    assert creators["cyd"] not in page.text
    assert HOSTILE in text
    assert HOSTILE not in page.text


@pytest.mark.parametrize("most", [25, 1])
def test_a_stale_account_has_one_reason(
    member: Sitter, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list limited to one account would start with Bea's, which has another reason."""
    monkeypatch.setattr(repository, "MOST", most)
    page = member.get(f"{member.home}/health")
    creators = creator_ids(member)
    assert "1 account not checked for 28 hours" in read(page)
    assert "not checked for new posts" not in read(page)
    assert "1 private account" in read(page)
    for handle in ("pia", "dee"):
        assert page.text.count(f'href="{member.home}/creators/{creators[handle]}"') == 1
    overview = read(member.get(member.home))
    assert (
        "1 account with a refused authorization 1 account not checked for 28 hours"
        " 1 private account" in overview
    )
    assert "not checked for new posts" not in overview


def test_stale_accounts_are_read_again_only_if_there_are_some(tenant: Tenant) -> None:
    sitter = Sitter(tenant)
    tenant.creator("ada")
    for path in ("", "/health"):
        with statements_sent() as sent:
            sitter.get(f"{sitter.home}{path}")
        longest = [each for each in sent if "AS last_at" in each and "accounts" in each]
        assert len(longest) == 2, path


def test_new_accounts_do_not_make_a_project_stale(api: Api) -> None:
    """One account was checked, three wait for their first check."""
    with new_tenant(api) as tenant:
        checked = UUID(tenant.creator("ada")["accounts"][0]["id"])
        for handle in ("bea", "cyd", "dee"):
            tenant.creator(handle)
        with api.store.write_session() as session:
            session.get_one(Account, checked).last_scraped_at = NOW
        member = Sitter(tenant, role="member")
        text = read(member.get(f"{member.home}/health"))
    assert "Accounts checked in 28 hours, without new ones 100.0% Good" in text
    assert "3 new accounts waiting for their first check." in text


def test_posts_whose_views_were_not_read_are_listed(member: Sitter) -> None:
    to_do = member.get(member.home)
    [path] = re.findall(r'href="([^"]+)">\s*Views of 3 posts could not be read', to_do.text)
    assert path == f"{member.home}/health#unread"
    page = member.get(path)
    _, _, unread = read(page).partition("Views of 3 posts could not be read")
    assert "Ask the creators to connect their accounts" in unread
    assert f"A reel that guests cannot see {HOSTILE} 16 May 2026, 10:00 18 May 2026" in unread
    never = "\u2013 never"
    assert f"reel {HOSTILE} {never} 18 May 2026, 10:00 never {HOSTILE} {never} {never}" in unread
    assert "young" not in unread
    assert 'id="unread"' in page.text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("unread", "Views as of 16 May 2026, 10:00. The latest checks read this post without its"),
        ("reel", "The latest checks read this post without its views. Guests of Instagram see"),
        ("never", "No check of it succeeded yet: the platform refused, or the post is private"),
        ("never", "or gone. TikTok @ada: its connection broke: the creator revoked the"),
        ("young", "It waits for its first check."),
        ("paused", "No check succeeded before its tracking ended."),
        ("checked", "Its numbers appear with the next run."),
        ("photo", "Instagram counts no views of photos."),
    ],
)
def test_a_post_explains_why_its_views_are_unknown(member: Sitter, name: str, words: str) -> None:
    changes: dict[str, dict[str, Any]] = {
        "paused": {"plan_limit_paused_at": NOW},
        "checked": {"last_scraped_at": NOW},
        "photo": {"platform": "instagram", "media_type": "photo"},
    }
    post = marts.Video(name, creator=UUID(creator_ids(member)["ada"]))
    if name in changes:
        with member.tenant.api.store.write_session() as session:
            put_post(session, member.tenant.made, post, **changes[name])
    assert words in read(member.get(f"{member.home}/posts/{post.id}"))


def test_views_from_before_tracking_are_shown_beside_gained_views(member: Sitter) -> None:
    text = read(member.get(member.home))
    assert "Views gained 0 900 more from before tracking: rules that begin earlier pay them" in text


def test_an_unknown_figure_is_no_warning(admin: Sitter) -> None:
    """There is no publication and no tracked account."""
    page = read(admin.get(f"{admin.home}/health"))
    program = page.partition("The program, last 30 days")[2].partition("Accounts and")[0]
    assert program.count("Not known yet") == 4, program
    assert "Warning" not in program


def test_a_link_repairs_a_broken_connection(member: Sitter) -> None:
    health = f"{member.home}/health"
    creator = creator_ids(member)["ada"]
    made = member.send(f"{health}/connect-links", page=health, creator_id=creator)
    assert made.status_code == 200
    assert 'value="http' in made.text
    assert "/connect/" in made.text
    assert HOSTILE in read(made)
    unknown = "00000000-0000-0000-0000-000000000000"
    assert (
        member.send(f"{health}/connect-links", page=health, creator_id=unknown).status_code == 404
    )
