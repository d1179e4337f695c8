"""The time and source of the view counts in evidence (money.md M7)."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories.marts import empty_marts
from warehouse.reading.accruals.readings_behind import with_readings

ONE = UUID(int=1)
OURS, THEIRS = UUID(int=10), UUID(int=11)
VIDEO = UUID(int=20)
START = datetime(2026, 3, 1, tzinfo=UTC)

Shown = tuple[int | None, str, bool]
"""Views, source and exactness of a reading; readings are an hour apart."""


@pytest.fixture(scope="module")
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    with empty_marts() as connection:
        connection.execute(
            "insert into marts.videos (video_id, organization_id) values (?, ?)",
            [str(VIDEO), str(OURS)],
        )
        yield connection


def read(marts: duckdb.DuckDBPyConnection, readings: Sequence[Shown]) -> None:
    marts.execute("delete from marts.video_deltas")
    for number, (count, source, is_exact) in enumerate(readings):
        marts.execute(
            "insert into marts.video_deltas (video_id, captured_at, view_count, source, is_exact)"
            " values (?, ?, ?, ?, ?)",
            [str(VIDEO), at(number), count, source, is_exact],
        )
    marts.execute(
        "update marts.videos set first_captured_at = ?, last_captured_at = ?",
        [at(0), at(len(readings) - 1)],
    )


def at(number: int) -> datetime:
    return START + timedelta(hours=number)


def reading(number: int, source: str, is_exact: bool) -> dict[str, Any]:
    captured_at = at(number).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {"captured_at": captured_at, "source": source, "is_exact": is_exact}


def cpm(*ends: tuple[int, int]) -> dict[str, Any]:
    videos = [{"video_id": str(VIDEO), "views_from": start, "views_to": to} for start, to in ends]
    return {"type": "cpm", "videos": videos}


def read_evidence(
    marts: duckdb.DuckDBPyConnection, evidence: dict[str, Any], organization_id: UUID = OURS
) -> dict[str, Any]:
    return with_readings(marts, organization_id, {ONE: evidence})[ONE]


class TestCpm:
    def test_a_post_that_begins_unread_begins_without_a_reading(
        self, marts: duckdb.DuckDBPyConnection
    ) -> None:
        """A later drop to 0 is not its start value."""
        read(marts, [(100, "page", True), (0, "page", True), (200, "page", True)])
        [video] = read_evidence(marts, cpm((0, 200)))["videos"]
        assert video["from_reading"] is None
        assert video["to_reading"] == reading(2, "page", is_exact=True)

    def test_a_post_of_another_organization_is_not_read(
        self, marts: duckdb.DuckDBPyConnection
    ) -> None:
        read(marts, [(5, "page", True)])
        [video] = read_evidence(marts, cpm((5, 5)), THEIRS)["videos"]
        assert video["from_reading"] is None

    @pytest.mark.slow
    @given(
        readings=st.lists(
            st.tuples(
                st.none() | st.integers(0, 6), st.sampled_from(["page", "feed"]), st.booleans()
            ),
            min_size=1,
            max_size=8,
        )
    )
    def test_every_threshold_has_its_reading(
        self, marts: duckdb.DuckDBPyConnection, readings: list[Shown]
    ) -> None:
        read(marts, readings)
        marks: list[tuple[int, int]] = []
        for number, (count, _, _) in enumerate(readings):
            if count is not None and (not marks or count > marks[-1][0]):
                marks.append((count, number))
        ends = [(count, count) for count, _ in marks]
        videos = read_evidence(marts, cpm(*ends))["videos"] if ends else []
        for video, (_, number) in zip(videos, marks, strict=True):
            _, source, is_exact = readings[number]
            assert video["to_reading"] == reading(number, source, is_exact)
            assert video["from_reading"] == video["to_reading"]


def test_a_threshold_has_the_reading_that_reached_it(marts: duckdb.DuckDBPyConnection) -> None:
    read(marts, [(900, "page", True), (1_200, "import", True), (1_300, "page", True)])
    threshold = {"type": "view_threshold", "video_id": str(VIDEO), "views_read": 1_200}
    assert read_evidence(marts, threshold)["reading"] == reading(1, "import", is_exact=True)


def test_counts_behind_goals_have_the_readings_of_their_counters(
    marts: duckdb.DuckDBPyConnection,
) -> None:
    """Followers have days from the models instead, and a post count has no reading."""
    read(marts, [(900, "page", True), (1_200, "import", True)])
    marts.execute("update marts.video_deltas set like_count = view_count // 100")
    named = ("counter", "video_id", "from", "to")
    counts = [
        dict(zip(named, row, strict=True))
        for row in [
            ("views", str(VIDEO), 900, 1_200),
            ("likes", str(VIDEO), 0, 12),
            ("comments", str(VIDEO), 0, 12),
            ("posts", str(VIDEO), None, None),
            ("followers", None, 9, 12),
        ]
    ]
    answers = read_evidence(marts, {"type": "goals", "counts": counts})["counts"]
    first, last = reading(0, "page", is_exact=True), reading(1, "import", is_exact=True)
    assert [(count["from_reading"], count["to_reading"]) for count in answers] == [
        (first, last),
        (None, last),
        (None, None),
        (None, None),
        (None, None),
    ]
    assert [{name: count[name] for name in named} for count in answers] == counts


def test_goals_frozen_without_counts_have_none(marts: duckdb.DuckDBPyConnection) -> None:
    assert read_evidence(marts, {"type": "goals", "goals": []}) == {"type": "goals", "goals": []}


def test_other_evidence_stays_as_it_is(marts: duckdb.DuckDBPyConnection) -> None:
    assert read_evidence(marts, {"type": "recurring", "days": 7}) == {
        "type": "recurring",
        "days": 7,
    }


def test_evidence_names_changes_of_the_meaning_of_views(
    marts: duckdb.DuckDBPyConnection,
) -> None:
    """Between a post's two readings, the later one included; for a threshold, up to its reading."""
    read(marts, [(900, "page", True), (900, "login", True), (950, "login", True)])
    marts.executemany(
        "insert into marts.view_baselines (video_id, captured_at, meaning) values (?, ?, ?)",
        [(str(VIDEO), at(number), "organic") for number in (0, 1, 3)],
    )
    baseline = {"captured_at": reading(1, "login", is_exact=True)["captured_at"]}
    [video] = read_evidence(marts, cpm((900, 950)))["videos"]
    assert video["view_baselines"] == [{**baseline, "meaning": "organic"}]
    [video] = read_evidence(marts, cpm((900, 900)))["videos"]
    assert "view_baselines" not in video
    threshold = {"type": "view_threshold", "video_id": str(VIDEO), "views_read": 950}
    assert len(read_evidence(marts, threshold)["view_baselines"]) == 2
    risen = {"video_id": str(VIDEO), "from": 0, "to": 950}
    counts = [{"counter": name, **risen} for name in ("views", "likes")]
    marts.execute("update marts.video_deltas set like_count = view_count")
    views, likes = read_evidence(marts, {"type": "goals", "counts": counts})["counts"]
    assert (len(views["view_baselines"]), "view_baselines" in likes) == (2, False)
    [hidden] = read_evidence(marts, cpm((900, 950)), THEIRS)["videos"]
    assert "view_baselines" not in hidden
    marts.execute("delete from marts.view_baselines")
