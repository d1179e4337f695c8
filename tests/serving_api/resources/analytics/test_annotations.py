"""Annotations over HTTP: users' own, automatic ones, and those inherited from parents.

    campaign Spring   contains campaign Launch, which contains the creator Demo
    creator Demo      900 views on 1 May, 1,100 on 4 May, 60,000 on 6 May; 9,000 followers
                      from 2 May on, 11,000 on 7 May
    video one         is Demo's

Days are Berlin's and begin at 22:00 UTC. Business time is 20 May, 12:00.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.factories import marts
from tests.fixtures.api import NOW, Api, Client, Tenant, new_tenant, publish_history
from warehouse.operational.models import AccountProfileChange, Video

PATH = "/analytics/annotations"
MAY = {"from": "2026-05-01", "to": "2026-05-31"}


def at(day: int, hour: int = 12) -> datetime:
    return datetime(2026, 5, day, hour, tzinfo=UTC)


def zulu(instant: datetime) -> str:
    return instant.isoformat().replace("+00:00", "Z")


@dataclass(frozen=True)
class Stage:
    """A hierarchy of entities, and a publication of the creator's post and account."""

    tenant: Tenant
    client: Client
    parent: str
    campaign: str
    creator: str
    account: str
    video: str

    def listed(self, scope: str, entity_id: str, **params: str) -> list[dict[str, Any]]:
        query = {"scope": scope, "entity_id": entity_id, **MAY, **params}
        annotations: list[dict[str, Any]] = self.client.data("GET", PATH, params=query)
        return annotations

    def annotate(self, scope: str, entity_id: str, **body: Any) -> Any:
        given = {"scope": scope, "entity_id": entity_id, "at": zulu(at(10)), "title": "Ad ran"}
        return self.client.data("POST", PATH, json={**given, **body})


@pytest.fixture(scope="module")
def stage(apart: Api) -> Iterator[Stage]:
    with new_tenant(apart, tz="Europe/Berlin") as tenant:
        creator = tenant.creator(display_name="Demo")
        publish_history(apart.settings, _history(tenant, creator["id"]))
        yield _staged(tenant, tenant.client, creator)


def _history(tenant: Tenant, creator: str) -> marts.History:
    views = {at(1): 900, at(4): 1_100, at(6): 60_000}
    readings: Any = {instant: {"view": count} for instant, count in views.items()}
    followers: Any = {at(2): 9_000, at(7): 11_000}
    return marts.History(
        videos=[marts.Video("one", readings, creator=UUID(creator))],
        accounts=[marts.Account("account", followers, creator=UUID(creator))],
        org_zone="Europe/Berlin",
        as_of=NOW,
        organization=tenant.organization_id,
    )


def _staged(tenant: Tenant, client: Client, creator: Any) -> Stage:
    parent, campaign = tenant.campaign("Spring")["id"], tenant.campaign("Launch")["id"]
    account = creator["accounts"][0]["id"]
    for holder, kind, member in (
        (parent, "campaign", campaign),
        (campaign, "creator", creator["id"]),
    ):
        item = {"item_type": kind, "item_id": member}
        client.data("POST", f"/campaigns/{holder}/items", json=item)
    with tenant.api.store.write_session() as session:
        video = Video(
            organization_id=tenant.organization_id,
            project_id=tenant.project_id,
            creator_id=creator["id"],
            account_id=account,
            platform="tiktok",
            platform_video_id="1",
            url="https://www.tiktok.com/@demo.creator/video/1",
            tracking_status="auto_tracked",
        )
        session.add(video)
    return Stage(tenant, client, parent, campaign, creator["id"], account, str(video.id))


class TestOfUsers:
    @pytest.mark.slow
    def test_an_annotation_is_made_listed_changed_and_deleted(self, stage: Stage) -> None:
        made = stage.annotate("video", stage.video, body_md="Paid *boost*")
        assert made == {
            "id": made["id"],
            "source": "user",
            "kind": "user",
            "scope": "video",
            "entity_id": stage.video,
            "at": "2026-05-10T12:00:00Z",
            "title": "Ad ran",
            "body_md": "Paid *boost*",
            "author_id": str(stage.tenant.made.user_id),
            "author_name": made["author_name"],
        }
        assert made["author_name"] == stage.client.data("GET", "/me")["display_name"]
        assert made in stage.listed("video", stage.video)
        path = f"{PATH}/{made['id']}"
        changes = {"at": "2026-05-11T01:00:00+02:00", "title": " Ad ended ", "body_md": None}
        changed = stage.client.data("PATCH", path, json=changes)
        expected = {**made, "at": "2026-05-10T23:00:00Z", "title": "Ad ended", "body_md": None}
        assert changed == expected
        assert changed in stage.listed("video", stage.video)
        assert stage.client.data("DELETE", path) == {"deleted": True}
        assert changed not in stage.listed("video", stage.video)
        stage.client.refusal("DELETE", path, "not_found")

    def test_titles_and_texts_reach_to_their_limits(self, stage: Stage) -> None:
        made = stage.annotate("creator", stage.creator, title="ü" * 200, body_md="ü" * 8000)
        assert (len(made["title"]), len(made["body_md"])) == (200, 8000)

    def test_its_entity_cannot_change(self, stage: Stage) -> None:
        made = stage.annotate("creator", stage.creator)
        for changes in ({"entity_id": stage.video}, {"scope": "video"}, {"title": None}, {}):
            path = f"{PATH}/{made['id']}"
            stage.client.refusal("PATCH", path, "invalid_body", json=changes)

    @pytest.mark.parametrize("scope", ["creator", "campaign", "video"])
    def test_missing_entities_cannot_be_annotated(self, stage: Stage, scope: str) -> None:
        body = {"scope": scope, "entity_id": str(uuid4()), "at": zulu(NOW), "title": "T"}
        stage.client.refusal("POST", PATH, "not_found", json=body)
        query = {"scope": scope, "entity_id": str(uuid4())}
        stage.client.refusal("GET", PATH, "not_found", params=query)

    def test_only_the_author_and_org_admins_change_it(self, stage: Stage) -> None:
        with stage.tenant.client_with("read", "write", role="member") as member:
            given = {"scope": "creator", "entity_id": stage.creator, "at": zulu(NOW), "title": "T"}
            own = member.data("POST", PATH, json=given)
            assert member.data("PATCH", f"{PATH}/{own['id']}", json={"title": "U"})["title"] == "U"
            others = stage.annotate("creator", stage.creator)
            meta = member.refusal("DELETE", f"{PATH}/{others['id']}", "insufficient_role")
            assert meta["required"] == "org_admin"
        changed = stage.client.data("PATCH", f"{PATH}/{own['id']}", json={"title": "V"})
        assert (changed["title"], changed["author_id"]) == ("V", own["author_id"])

    def test_a_deleted_campaign_deletes_its_annotations(self, tenant: Tenant) -> None:
        campaign = tenant.campaign()["id"]
        body = {"scope": "campaign", "entity_id": campaign, "at": zulu(NOW), "title": "T"}
        made = tenant.client.data("POST", PATH, json=body)
        tenant.client.data("DELETE", f"/campaigns/{campaign}")
        path = f"{PATH}/{made['id']}"
        tenant.client.refusal("DELETE", path, "not_found")


class TestAutomatic:
    def test_milestones_are_reached_while_tracked(self, stage: Stage) -> None:
        annotations = stage.listed("creator", stage.creator)
        reached = [
            annotation for annotation in annotations if annotation["kind"] == "creator_milestone"
        ]
        assert [(annotation["at"], annotation["title"]) for annotation in reached] == [
            ("2026-05-06T22:00:00Z", "10,000 followers reached"),
            ("2026-05-05T22:00:00Z", "50,000 views reached"),  # without 5,000 and 10,000
            ("2026-05-03T22:00:00Z", "1,000 views reached"),
        ]
        assert reached[2]["id"] == f"creator_milestone:{stage.creator}:views:1000"
        assert reached[2]["source"] == "auto"
        assert (reached[2]["author_id"], reached[2]["body_md"]) == (None, None)
        assert "entity_label" not in reached[2]

    def test_a_campaign_has_an_annotation_of_its_creation(self, stage: Stage) -> None:
        [made] = [
            annotation
            for annotation in stage.listed("campaign", stage.campaign)
            if annotation["kind"] == "campaign_created"
            and annotation["entity_id"] == stage.campaign
        ]
        assert made["id"] == f"campaign_created:{stage.campaign}"
        assert (made["at"], made["title"]) == (zulu(NOW), "Campaign created")

    @pytest.mark.parametrize("scope", ["creator", "campaign", "video"])
    def test_changed_notes_are_annotated_with_their_author(self, stage: Stage, scope: str) -> None:
        entity = getattr(stage, scope)
        path = f"/{scope}s/{entity}"
        stage.client.data("PATCH", path, json={"readme": f"# Notes of a {scope}"})
        [annotation] = [
            annotation
            for annotation in stage.listed(scope, entity)
            if annotation["kind"] == "readme_changed" and annotation["entity_id"] == entity
        ]
        assert (annotation["at"], annotation["title"]) == (zulu(NOW), "Notes changed")
        assert annotation["author_id"] == str(stage.tenant.made.user_id)
        assert annotation["author_name"] == stage.client.data("GET", "/me")["display_name"]
        again = stage.listed(scope, entity)
        assert annotation in again

    def test_profile_changes_are_plain_text(self, stage: Stage) -> None:
        changes = {
            "display_name": {"from": "Demo", "to": "*Demo* [x](http://evil)"},
            "is_private": {"from": False, "to": True},
        }
        with stage.tenant.api.store.write_session() as session:
            row = AccountProfileChange(
                organization_id=stage.tenant.organization_id,
                account_id=UUID(stage.account),
                observed_at=at(9),
                changes=changes,
            )
            session.add(row)
        [annotation] = [
            annotation
            for annotation in stage.listed("creator", stage.creator)
            if annotation["kind"] == "creator_profile_change"
        ]
        assert annotation["id"] == f"creator_profile_change:{row.id}"
        assert (annotation["at"], annotation["title"]) == (zulu(at(9)), "Profile changed")
        assert annotation["body_md"] == (
            "TikTok account @demo\\.creator:\n\n"
            "- Name: Demo → \\*Demo\\* \\[x\\]\\(http://evil\\)\n"
            "- Private: no → yes"
        )

    def test_automatic_annotations_cannot_be_changed(self, stage: Stage) -> None:
        for annotation in stage.listed("creator", stage.creator):
            if annotation["source"] == "auto":
                path = f"{PATH}/{annotation['id']}"
                stage.client.refusal("PATCH", path, "auto_annotation", json={"title": "Mine"})
                stage.client.refusal("DELETE", path, "auto_annotation")


class TestParents:
    def test_what_annotates_a_parent_comes_down_with_its_label(self, stage: Stage) -> None:
        on = {
            scope: stage.annotate(scope, entity, title=f"On {entity}")
            for scope, entity in (
                ("campaign", stage.parent),
                ("creator", stage.creator),
                ("video", stage.video),
            )
        }
        by_id = {annotation["id"]: annotation for annotation in stage.listed("video", stage.video)}
        assert by_id[on["video"]["id"]] == on["video"]
        assert by_id[on["creator"]["id"]] == {**on["creator"], "entity_label": "Demo"}
        assert by_id[on["campaign"]["id"]] == {**on["campaign"], "entity_label": "Spring"}
        milestones = [
            annotation for annotation in by_id.values() if annotation["kind"] == "creator_milestone"
        ]
        assert {milestone["entity_label"] for milestone in milestones} == {"Demo"}
        ids = {annotation["id"] for annotation in stage.listed("creator", stage.creator)}
        assert on["campaign"]["id"] in ids
        assert on["video"]["id"] not in ids  # parents inherit nothing
        ids = {annotation["id"] for annotation in stage.listed("campaign", stage.campaign)}
        assert on["campaign"]["id"] in ids
        assert on["creator"]["id"] not in ids


class TestList:
    def test_everything_is_listed_newest_first(self, stage: Stage) -> None:
        for minute in range(3):
            stage.annotate("video", stage.video, at=f"2026-05-04T10:0{minute % 2}:00Z")
        whole = stage.listed("video", stage.video, limit="100")
        assert [annotation["at"] for annotation in whole] == sorted(
            (annotation["at"] for annotation in whole), reverse=True
        )
        assert {annotation["source"] for annotation in whole} == {"user", "auto"}

    def test_days_are_the_organizations_and_inclusive(self, stage: Stage) -> None:
        first = stage.annotate("video", stage.video, at="2026-05-13T22:00:00Z")["id"]
        last = stage.annotate("video", stage.video, at="2026-05-14T21:59:59Z")["id"]
        day = {"from": "2026-05-14", "to": "2026-05-14"}
        ids = {annotation["id"] for annotation in stage.listed("video", stage.video, **day)}
        assert {first, last} <= ids
        day = {"from": "2026-05-13", "to": "2026-05-13"}
        assert not {first, last} & {
            annotation["id"] for annotation in stage.listed("video", stage.video, **day)
        }

    def test_the_last_30_days_are_listed_by_default(self, stage: Stage) -> None:
        old = stage.annotate("creator", stage.creator, at="2026-04-19T21:59:59Z")["id"]
        young = stage.annotate("creator", stage.creator, at="2026-04-19T22:00:00Z")["id"]
        query = {"scope": "creator", "entity_id": stage.creator, "limit": "100"}
        ids = {annotation["id"] for annotation in stage.client.data("GET", PATH, params=query)}
        assert young in ids
        assert old not in ids
