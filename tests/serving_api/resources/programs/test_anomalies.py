"""Anomalous readings over HTTP: lists, filters, pages, files.

Today is 20 May in Berlin. Ada's `song` is in the campaign, Bob's `dance` is not.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

import pytest

from tests.factories import marts
from tests.fixtures.api import Api, Client, Tenant, new_tenant, publish_history
from tests.fixtures.meanwhile import between_snapshots

ADA, BOB = marts.named("odd Ada"), marts.named("odd Bob")
SONG, DANCE = (
    marts.Video("odd song", creator=ADA),
    marts.Video("odd dance", creator=BOB, in_campaign=False, platform="instagram"),
)
COLUMNS = (
    "id,reason,sentence,evidence,video_id,platform,account_id,creator_id,project_id,since_at,"
    "captured_at"
)


def at(month: int, day: int, hour: int = 10) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


ODD = [
    (SONG, "silent_views", at(5, 20, 9), at(5, 20, 3)),
    (SONG, "single_step", at(5, 20, 9), at(5, 20, 3)),
    (SONG, "fall", at(5, 18, 22), at(5, 18)),  # the 19th in Berlin
    (DANCE, "silent_views", at(5, 1), None),
    (DANCE, "fall", at(4, 2), at(4, 1)),
]
"""The latest first; those of one instant by id."""


def row_of(tenant: Tenant, number: int) -> dict[str, Any]:
    video, reason, captured_at, since_at = ODD[number]
    return {
        "anomaly_id": str(id_of(number)),
        "organization_id": str(tenant.organization_id),
        "project_id": str(tenant.project_id),
        "creator_id": str(video.creator),
        "account_id": None,
        "video_id": str(video.id),
        "platform": video.platform,
        "captured_at": captured_at,
        "reason": reason,
        "since_at": since_at,
        "sentence": "50 of 100 views are gone",
        "evidence": '{"views_before":100,"views_gained":-50}',
    }


def id_of(number: int) -> UUID:
    return uuid5(SONG.id, f"odd {number}")


class World:
    """An organization with anomalies, and another one."""

    def __init__(
        self, tenant: Tenant, client: Client, publish: Callable[[Sequence[Any]], object]
    ) -> None:
        self.client = client
        self.publish = publish
        self.path = f"/projects/{tenant.project_id}/anomalies"
        self.project_id = str(tenant.project_id)
        self.campaign_id = ""

    def ids(self, **params: Any) -> list[UUID]:
        anomalies = self.client.answer("GET", self.path, params=params)["data"]
        return [UUID(each["id"]) for each in anomalies]


@pytest.fixture(scope="module")
def world(apart: Api) -> Iterator[World]:
    with new_tenant(apart, tz="Europe/Berlin") as tenant:
        path = f"/projects/{tenant.project_id}/campaigns"
        campaign = tenant.client.data("POST", path, json={"name": "Odd"})["id"]
        history = marts.History(
            videos=[SONG, DANCE],
            as_of=at(5, 20),
            organization=tenant.organization_id,
            project=tenant.project_id,
            campaign=UUID(campaign),
        )

        def publish_odd(odd: Sequence[Any]) -> None:
            rows = [row_of(tenant, number) for number in range(len(odd))]
            others = {"organization_id": str(ADA), "project_id": str(BOB)}
            others_row = {**rows[0], "anomaly_id": str(id_of(len(ODD))), **others}
            publish_history(apart.settings, history, reading_anomalies=[*rows, others_row])

        publish_odd(ODD)
        made = World(tenant, tenant.client, publish_odd)
        made.campaign_id = campaign
        yield made


LATEST = sorted(map(id_of, (0, 1)), reverse=True)


def test_they_come_with_reason_words_and_figures_the_latest_first(world: World) -> None:
    answer = world.client.answer("GET", world.path)
    assert [UUID(each["id"]) for each in answer["data"]] == [*LATEST, id_of(2), id_of(3)]
    assert answer["meta"] == {"hasMore": False, "nextCursor": None}
    assert answer["data"][2] == {
        "id": str(id_of(2)),
        "reason": "fall",
        "sentence": "50 of 100 views are gone",
        "evidence": {"views_before": 100, "views_gained": -50},
        "video_id": str(SONG.id),
        "platform": "tiktok",
        "account_id": None,
        "creator_id": str(ADA),
        "project_id": world.project_id,
        "since_at": "2026-05-18T10:00:00Z",
        "captured_at": "2026-05-18T22:00:00Z",
    }


def test_filters(world: World) -> None:
    assert world.ids(creator_id=str(BOB)) == [id_of(3)]
    assert world.ids(video_id=str(SONG.id)) == [*LATEST, id_of(2)]
    assert world.ids(reason="silent_views") == [id_of(0), id_of(3)]
    assert world.ids(**{"from": "2026-05-19", "to": "2026-05-19"}) == [id_of(2)]
    assert world.ids(**{"from": "2026-04-01", "to": "2026-05-18"}) == [id_of(3), id_of(4)]
    assert world.ids(creator_id=str(SONG.id)) == []


@pytest.mark.slow
def test_invalid_filters_are_refused(world: World) -> None:
    for params in ({"reason": "odd"}, {"from": "2026-05-19", "to": "2026-05-18"}):
        world.client.refusal("GET", world.path, "invalid_query", params=params)
    world.client.refusal("GET", world.path, "invalid_cursor", params={"cursor": "x"})


def test_a_page_of_a_file_is_of_one_publication(world: World) -> None:
    with between_snapshots("/exports/anomalies", lambda: world.publish(ODD[:2])):
        file = world.client.get("/exports/anomalies", params={"limit": 3})
    world.publish(ODD)
    assert [UUID(row["id"]) for row in csv.DictReader(file.text.splitlines())] == [
        *LATEST,
        id_of(2),
    ]
    assert "X-Next-Cursor" in file.headers


def test_as_a_file_page_by_page(world: World) -> None:
    first = world.client.get("/exports/anomalies", params={"limit": 3})
    cursor = first.headers["X-Next-Cursor"]
    second = world.client.get("/exports/anomalies", params={"limit": 3, "cursor": cursor})
    assert "X-Next-Cursor" not in second.headers
    assert first.text.splitlines()[0] == COLUMNS
    rows = [row for page in (first, second) for row in csv.DictReader(page.text.splitlines())]
    assert [UUID(row["id"]) for row in rows] == [*LATEST, *map(id_of, (2, 3, 4))]
    assert rows[2]["evidence"] == '{"views_before":100,"views_gained":-50}'


def test_files_are_of_a_project_a_campaign_and_days(world: World) -> None:
    def rows(**params: str) -> int:
        text = world.client.get("/exports/anomalies", params=params).text
        return len(text.splitlines()) - 1

    assert rows(project_id=world.project_id) == 5
    assert rows(campaign_id=world.campaign_id) == 3
    assert rows(**{"from": "2026-04-02", "to": "2026-05-18"}) == 2
