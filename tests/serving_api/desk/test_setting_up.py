"""Setting up a campaign at the desk: tracked creators, their campaigns and their pay."""

from collections.abc import Sequence

import pytest
from sqlalchemy import select

from tests.factories.payouts import rule
from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from warehouse.operational.models import UnpublishedChange

HOSTILE = '"><img src=x onerror=alert(1)> \u202e'


@pytest.fixture
def member(tenant: Tenant) -> Sitter:
    return Sitter(tenant, role="member")


def ids_of(tenant: Tenant, kind: str) -> Sequence[str]:
    rows = tenant.client.data("GET", f"/{kind}", params={"project_id": str(tenant.project_id)})
    return [str(row["id"]) for row in rows]


def test_a_creator_comes_with_accounts_and_gets_more(tenant: Tenant, member: Sitter) -> None:
    form = f"{member.home}/creators/new"
    made = member.send(
        form,
        page=form,
        **{
            "display_name": HOSTILE,
            "handle.tiktok": "https://www.tiktok.com/@mila",
            "tracking_mode": "hashtag",
            "tracking_hashtags": "#autumn launch",
            "tracking_start_date": "2026-05-01",
        },
    )
    assert made.status_code == 303, made.text
    [creator_id] = ids_of(tenant, "creators")
    assert made.headers["Location"] == f"{member.home}/creators/{creator_id}"
    assert "Creator added: TikTok @mila." in read(member.get(made.headers["Location"]))
    accounts = f"{member.home}/creators/{creator_id}/accounts"
    more = member.send(accounts, page=accounts, **{"handle.instagram": "@mila.posts"})
    assert more.status_code == 303, more.text
    assert "Account added: Instagram @mila.posts." in read(member.get(more.headers["Location"]))
    creator = tenant.client.data("GET", f"/creators/{creator_id}")
    assert creator["display_name"] == HOSTILE
    tiktok, instagram = creator["accounts"]
    assert (tiktok["handle"], tiktok["tracking_hashtags"]) == ("mila", ["autumn", "launch"])
    assert tiktok["tracking_start_date"] == "2026-05-01"
    assert (instagram["handle"], instagram["tracking_mode"]) == ("mila.posts", "auto")
    page = member.get(accounts)
    assert f"Track more accounts of {HOSTILE}" in read(page)
    assert HOSTILE not in page.text


def test_the_figures_of_a_change_at_the_desk_are_awaited(tenant: Tenant, member: Sitter) -> None:
    """The same change by an API client does not get priority."""
    form = f"{member.home}/creators/new"
    member.send(form, page=form, **{"handle.tiktok": "mila"})
    assert awaited(tenant)[-1:] == [True]
    tenant.creator("ada")
    assert awaited(tenant)[-1:] == [False]


def awaited(tenant: Tenant) -> Sequence[bool]:
    """Whether a person waits for each unpublished change."""
    with tenant.api.store.read_session() as session:
        changes = select(UnpublishedChange).order_by(UnpublishedChange.id)
        return [row.is_awaited for row in session.scalars(changes)]


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"display_name": "Mila"}, "Enter at least one account"),
        ({"handle.tiktok": "tiktok.com/@no name"}, "A handle has no spaces: remove what follows"),
        (
            {"handle.tiktok": "https://www.tiktok.com/@demo/video/7682837474828885294"},
            "This is a link to a post of @demo: enter that handle",
        ),
        ({"handle.tiktok": "https://www.tiktok.com/tag/cats"}, "open the profile and enter its"),
        (
            {"handle.tiktok": "x", "tracking_mode": "hashtag"},
            "Enter at least one hashtag",
        ),
        ({"handle.tiktok": "x", "tracking_start_date": "soon"}, "Enter a date"),
    ],
)
def test_invalid_accounts_are_explained_on_the_form(
    tenant: Tenant, member: Sitter, sent: dict[str, str], message: str
) -> None:
    form = f"{member.home}/creators/new"
    answer = member.send(form, page=form, **sent)
    assert answer.status_code == 400
    assert message in answer.text
    assert f'value="{next(iter(sent.values()))}"' in answer.text
    assert ids_of(tenant, "creators") == []


def test_accounts_of_one_form_are_tracked_all_or_none(tenant: Tenant, member: Sitter) -> None:
    creator = tenant.creator("mila")
    accounts = f"{member.home}/creators/{creator['id']}/accounts"
    sent = {"handle.tiktok": "mila.two", "handle.instagram": "no name"}
    assert member.send(accounts, page=accounts, **sent).status_code == 400
    stored_accounts = tenant.client.data("GET", f"/creators/{creator['id']}")["accounts"]
    assert [account["handle"] for account in stored_accounts] == ["mila"]


def test_an_account_that_is_tracked_already_links_its_creator(
    tenant: Tenant, member: Sitter
) -> None:
    creators = f"{member.home}/creators"
    mila, noor = (tenant.creator(handle)["id"] for handle in ("mila", "noor"))
    refused = [
        member.send(page, page=page, **{"handle.tiktok": "mila"})
        for page in (f"{creators}/new", f"{creators}/{noor}/accounts")
    ]
    assert [answer.status_code for answer in refused] == [409, 409]
    link = f'<a href="{creators}/{mila}">Open that creator</a>'
    assert all(link in answer.text for answer in refused)
    paste = f"{creators}/paste"
    lists = {"list": "@mila\n@vera\n@vera", "platform": "tiktok"}
    preview = member.send(paste, page=paste, **lists).text
    assert f'<a href="{creators}/{mila}">@mila is already tracked</a>' in preview
    assert "Not added: @vera is already on line 2" in preview


@pytest.mark.slow
def test_a_campaign_is_made_and_filled(tenant: Tenant, member: Sitter) -> None:
    mila, noor = (tenant.creator(name, display_name=name.title()) for name in ("mila", "noor"))
    form = f"{member.home}/campaigns/new"
    empty = member.send(form, page=form, name=" ")
    assert empty.status_code == 400
    assert "This field is required" in empty.text
    made = member.send(form, page=form, name=HOSTILE)
    [campaign_id] = ids_of(tenant, "campaigns")
    creators = f"{member.home}/campaigns/{campaign_id}/creators"
    assert made.headers["Location"] == creators
    member.send(f"{creators}?search=mil", page=creators, add=mila["id"])
    again = member.send(creators, page=creators, add=mila["id"])
    assert again.status_code == 303  # a member stays one
    listed = read(member.get(creators))
    assert "Noor Add Noor Mila Added Remove Mila" in listed
    assert "Noor" not in read(member.get(f"{creators}?search=mil"))
    member.send(creators, page=creators, add=noor["id"])
    member.send(creators, page=creators, remove=mila["id"])
    items = tenant.client.data("GET", f"/campaigns/{campaign_id}/items")
    assert [item["item_id"] for item in items] == [noor["id"]]


@pytest.mark.slow
def test_creators_of_a_structure(tenant: Tenant) -> None:
    """The last day is still paid; business time is 20 May."""
    admin, mila = Sitter(tenant), tenant.creator("mila", display_name="Mila")
    structure_id = tenant.payout_structure(rule("recurring"), name="Fee")
    paid = f"{admin.home}/settings/structures/{structure_id}/creators"
    assert "Mila Assign" in read(admin.get(paid))
    wrong = admin.send(paid, page=paid, add=mila["id"], day="soon")
    assert (wrong.status_code, "Enter a date" in wrong.text) == (400, True)
    admin.send(paid, page=paid, add=mila["id"], day="2026-05-11")
    assert "Mila Assigned 11 May 2026 and later End" in read(admin.get(paid))
    twice = admin.send(paid, page=paid, add=mila["id"])
    assert (twice.status_code, "Mila" in twice.text) == (409, True)
    admin.send(paid, page=paid, remove=mila["id"], day="2026-05-31")
    assert "Mila Assigned 11 May 2026 to 31 May 2026 End" in read(admin.get(paid))
    [assignment] = tenant.client.data("GET", f"/payout-structures/{structure_id}/assignments")
    assert (assignment["start_date"], assignment["end_date"]) == ("2026-05-11", "2026-05-31")


def test_an_archived_project_is_restored(tenant: Tenant, admin: Sitter) -> None:
    settings = f"{admin.home}/settings/organization"
    assert "Restore project" not in admin.get(settings).text
    path = f"/organizations/{tenant.organization_id}/projects/{tenant.project_id}"
    tenant.client.data("PATCH", path, json={"is_archived": True})
    assert "Restore project" in admin.get(settings).text
    assert admin.send(f"{settings}/project", page=settings).status_code == 303
    [project] = tenant.client.data("GET", "/projects")
    assert not project["is_archived"]
