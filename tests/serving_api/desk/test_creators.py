"""Pages of creators: the tracked ones, their ranking, and the performance of one."""

import re
from datetime import timedelta
from uuid import UUID

import pytest

from tests.factories.payouts import rule
from tests.factories.visitors import read
from tests.fixtures.api import NOW, Tenant
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched
from tests.fixtures.statements import statements_sent
from warehouse.operational import models

NOBODY = "00000000-0000-0000-0000-000000000000"


def test_creators_are_listed_and_found_by_name_or_handle(
    member: Sitter, launched: Launched
) -> None:
    listed = member.get(f"{member.home}/creators").text
    assert f'creators/{launched.ada["id"]}"><bdi>Ada</bdi>' in listed
    assert HOSTILE not in listed
    text = read(member.get(f"{member.home}/creators?search=ADA"))
    assert "Ada TikTok @ada \u2013 not known 1 1,600 $100.00 None" in text
    assert "1 post to review" in text
    assert HOSTILE not in text.partition("Add selected to")[0]
    for tag in ("none", "none%2C", "no%00ne"):
        assert "No creators match" in read(member.get(f"{member.home}/creators?tag={tag}"))
    assert "No creators match" not in read(member.get(f"{member.home}/creators?tag=%20%2C"))
    none = member.get(f"{member.home}/creators?search=%3Cb%3E")
    assert "No creators match" in read(none)
    assert "<bdi>&lt;b&gt;</bdi>" in none.text
    assert "No creators match." in read(member.get(f"{member.home}/creators?platform=instagram"))
    file = member.get(f"{member.home}/creators?search=ada&platform=tiktok&format=csv")
    assert file.content.decode("utf-8-sig").splitlines() == [
        "id,name,handle,followers,posts_tracked,posts_to_review,views_gained,owed,currency",
        f"{launched.ada['id']},Ada,ada,,1,1,1600,100.00,USD",
    ]


def test_a_creators_page_leads_to_profile_campaigns_and_tag(tenant: Tenant, admin: Sitter) -> None:
    ada, client, spring = tenant.creator("ada"), tenant.client, tenant.campaign()["id"]
    tenant.creator("bob")
    item = {"item_type": "creator", "item_id": ada["id"]}
    client.data("POST", f"/campaigns/{spring}/items", json=item)
    client.data("POST", f"/creators/{ada['id']}/tags", json={"tags": ["Slow & good"]})
    page = admin.get(f"{admin.home}/creators/{ada['id']}").text
    assert '<a href="https://www.tiktok.com/@ada" rel="noopener' in page
    assert f'<a href="{admin.home}/campaigns/{spring}"><bdi>Spring</bdi>' in page
    [tagged] = re.findall(r'href="([^"]+)"><bdi>Slow &amp; good</bdi>', page)
    listed = read(admin.get(tagged))
    assert "Remove filter: Tag: Slow & good" in listed
    assert ("@ada" in listed, "@bob" in listed) == (True, False)


def test_creators_are_sorted_by_owed_amounts(member: Sitter, launched: Launched) -> None:
    address, ids = f"{member.home}/creators", []
    for sort in ("owed_cents", "-owed_cents"):
        page = member.get(f"{address}?sort={sort}").text
        ids.append(re.findall(rf'<th scope="row"><a href="{address}/([0-9a-f-]+)', page))
    assert ids[0] == ids[1][::-1]
    owed = [
        launched.tenant.client.data("GET", f"/creators/{each}/payout-balance")["balance_cents"]
        for each in ids[0]
    ]
    assert owed == sorted(owed)
    assert len(set(owed)) == len(owed) > 1


def test_a_list_shows_the_same_checks_as_the_creators_page(tenant: Tenant) -> None:
    creator, member = tenant.creator(), Sitter(tenant, role="member")
    pages = (f"{member.home}/creators", f"{member.home}/creators/{creator['id']}")
    assert ["First check queued" in read(member.get(page)) for page in pages] == [True, True]
    waited = NOW - timedelta(days=2)
    with tenant.api.store.write_session() as session:
        session.get_one(models.Creator, UUID(creator["id"])).created_at = waited
    assert ["No check succeeded yet" in read(member.get(page)) for page in pages] == [True, True]
    with tenant.api.store.write_session() as session:
        account = session.get_one(models.Account, UUID(creator["accounts"][0]["id"]))
        account.last_scraped_at = waited
    words = f"Checked {waited.day} May 2026"
    assert [words in read(member.get(page)) for page in pages] == [True, True]


@pytest.mark.slow
def test_ticked_creators_are_added_to_campaign_rule_and_tag_or_removed(launched: Launched) -> None:
    admin, client = Sitter(launched.tenant), launched.tenant.client
    creators = f"{admin.home}/creators"
    body = {"name": "Autumn"}
    path = f"/projects/{launched.tenant.project_id}/campaigns"
    campaign = client.data("POST", path, json=body)["id"]
    [rule] = client.data("GET", "/payout-structures")
    ticked = {f"selected.{creator['id']}": "yes" for creator in (launched.ada, launched.eve)}

    def press(action: str, **sent: str) -> str:
        answer = admin.send(creators, page=creators, **{action: "selected"}, **sent)
        return answer.text if answer.is_error else read(admin.get(answer.headers["Location"]))

    assert "Select at least one item first" in press("remove")
    assert "Choose one" in press("campaign", **ticked)
    ada = {f"selected.{launched.ada['id']}": "yes"}
    assert "1 creator added to Autumn." in press("campaign", campaign_id=campaign, **ada)
    assert "1 creator added to Autumn." in press("campaign", campaign_id=campaign, **ticked)
    assert "2 creators assigned to Weekly fee." in press("rule", rule_id=rule["id"], **ticked)
    assert "already" in press("rule", rule_id=rule["id"], **ticked)
    assert "Enter a tag" in press("tag_all", tag=" ", **ticked)
    tagged = press("tag_all", tag="gold", **ticked)
    assert "2 creators tagged gold." in tagged
    assert "Ada gold TikTok @ada" in tagged
    assert "Weekly fee" in tagged
    assert len(client.data("GET", f"/campaigns/{campaign}/items")) == 2
    member = Sitter(launched.tenant, role="member")
    pages = [each.get(creators).text for each in (admin, member)]
    assert ["Remove selected" in page for page in pages] == [True, False], "only admins may"
    assert "1 creator removed." in press("remove", **{f"selected.{launched.eve['id']}": "yes"})
    assert [row["display_name"] for row in client.data("GET", "/creators")] == ["Ada"]


@pytest.mark.slow
def test_a_list_needs_as_many_statements_for_two_creators_as_for_one(launched: Launched) -> None:
    admin = Sitter(launched.tenant)
    taken = []
    for query in ("search=ada", ""):
        with statements_sent() as sent:
            admin.get(f"{admin.home}/creators?{query}")
        taken.append(len(sent))
    assert taken[0] == taken[1]


def test_creators_are_ranked_by_gained_views(member: Sitter) -> None:
    """Eve gained 2,500 in the last 28 days, Ada 1,600; the 28 days before are unknown."""
    ranked = read(member.get(f"{member.home}/creators/ranked"))
    assert f"1 {HOSTILE} 2,500 \u2013 no comparison 2 Ada 1,600 \u2013 no comparison" in ranked
    assert member.get(f"{member.home}/creators/ranked?metric=money").status_code == 400


def test_a_rule_that_starts_later_is_not_yet_current(tenant: Tenant) -> None:
    admin, eve = Sitter(tenant), tenant.creator("eve")
    for name, day in (("Now", "2026-05-20"), ("Later", "2026-05-21")):
        fee = tenant.payout_structure(rule("recurring"), name=name)
        tenant.payout_assignment(fee, eve, start_date=day)
    page = read(admin.get(f"{admin.home}/creators/{eve['id']}"))
    assert "Now 20 May 2026 No end Active" in page
    assert "Later 21 May 2026 No end Starts 21 May 2026" in page
    listed = read(admin.get(f"{admin.home}/creators")).partition("Add selected to")[0]
    assert ("Now" in listed, "Later" in listed) == (True, False)


@pytest.mark.slow
def test_a_creator_page_has_views_goals_money_and_waiting_posts(
    member: Sitter, launched: Launched
) -> None:
    client, ada = launched.tenant.client, launched.ada["id"]
    goal = {"metric": "posts", "period": "weekly", "target_value": 3}
    client.data("POST", f"/creators/{ada}/goals", json=goal)
    dispute = {"accrual_id": launched.id_of("settled"), "reason": "Less than was agreed"}
    client.data("POST", "/payout-disputes", json=dispute)
    page = member.get(f"{member.home}/creators/{ada}")
    text = read(page)
    assert "1 post to review in the inbox A disputed amount needs an answer" in text
    assert f'{member.home}/inbox?creator={ada}">1 post to review' in page.text
    assert f'payouts/amounts/{launched.id_of("settled")}">A dispute' in page.text
    assert "1,600 views gained No earlier data. Best day: 13 May 2026, 1,000" in text
    assert "3 posts each week" in text
    assert "Earned $100.00 Paid $0.00 Balance $100.00 Not final yet $70.00" in text
    assert "Disputed 27 Apr 2026 to 3 May 2026 To approve $100.00" in text
    assert "Post without a caption TikTok, to review \u2013 not known" in text


def test_a_creator_of_another_project_is_not_found(member: Sitter, launched: Launched) -> None:
    tenant = launched.tenant
    path = f"/organizations/{tenant.organization_id}/projects"
    there = tenant.client.data("POST", path, json={"name": "Other"})
    other = f"/desk/projects/{there['id']}/creators"
    assert member.get(f"{other}/{launched.ada['id']}").status_code == 404
    assert member.get(f"{member.home}/creators/{NOBODY}").status_code == 404
    assert "No creators yet." in member.get(other).text
    assert "No numbers for these dates and filters." in member.get(f"{other}/ranked").text
