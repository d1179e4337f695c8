"""Malformed files: every error names its line, and nothing of the file is loaded."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.doses import dose
from tests.factories.tracking import add_account, add_video
from tests.warehouse.imports.conftest import NOW, Importer
from warehouse.imports import file_rows
from warehouse.imports.checking import read_chunks
from warehouse.imports.layouts import COLUMNS, LARGEST_COUNT, VIDEO_SNAPSHOTS, VIDEOS
from warehouse.imports.report import MOST_NAMED, Problem, UnusableFileError
from warehouse.landing.batches import registered
from warehouse.operational.organizations import NewOrganization
from warehouse.platforms import PLATFORMS

HEADER = ",".join(COLUMNS[VIDEO_SNAPSHOTS])
GOOD = "tiktok,7001,2026-05-01T10:00:00Z,10,,,,"
MAY_1 = datetime(2026, 5, 1, 10, tzinfo=UTC)
COLUMN_VALUES: dict[str, Any] = {
    "platform": "tiktok",
    "platform_video_id": "7001",
    "captured_at": MAY_1,
    "view_count": 10,
    "like_count": None,
    "comment_count": None,
    "share_count": None,
    "save_count": None,
}


BEFORE_TIKTOK = "is before TikTok began at 2014-08-01T00:00:00Z"
NOT_ON_TIKTOK = (
    "is not a post on this platform: give its id or its whole link; short links are not followed"
)
NO_POST = "is not a post of this project: load posts first, by `tracker import videos`"
IN_THE_FUTURE = "is in the future: it is 2026-05-20T12:00:00Z"
MEANINGLESS = [
    ("platform", "", "is missing"),
    ("platform", "youtube", f"is not one of {', '.join(PLATFORMS)}"),
    ("platform_video_id", "", "is missing"),
    ("platform_video_id", "7a18", NOT_ON_TIKTOK),
    ("platform_video_id", "Dc_lW7jqhs8", NOT_ON_TIKTOK),
    ("platform_video_id", "12345678901234567890", NOT_ON_TIKTOK),
    ("platform_video_id", "7002", NO_POST),
    ("captured_at", "", "is missing"),
    (
        "captured_at",
        "2026-05-01T10:00:00",
        "has no UTC offset: write 2026-03-01T06:00:00Z",
    ),
    ("captured_at", "2026-05-01 10:00", "has no UTC offset: write 2026-03-01T06:00:00Z"),
    ("captured_at", "2026-05-01", "is not a date and time: write 2026-03-01T06:00:00Z"),
    ("captured_at", "2026-02-30T10:00:00Z", "is not a date and time: write 2026-03-01T06:00:00Z"),
    ("captured_at", "2026-05-01T24:00:00Z", "is not a date and time: write 2026-03-01T06:00:00Z"),
    (
        "captured_at",
        "2026-05-01T10:00:00+99:00",
        "is not a date and time: write 2026-03-01T06:00:00Z",
    ),
    ("captured_at", "01/05/2026 10:00 UTC", "is not a date and time: write 2026-03-01T06:00:00Z"),
    ("captured_at", "1777629600", "is not a date and time: write 2026-03-01T06:00:00Z"),
    ("captured_at", "2014-07-31T23:59:59Z", BEFORE_TIKTOK),
    ("captured_at", "0001-01-01T00:00:00+14:00", BEFORE_TIKTOK),
    ("captured_at", "2026-05-20T12:00:00.000001Z", IN_THE_FUTURE),
    ("captured_at", "9999-12-31T23:59:59-14:00", IN_THE_FUTURE),
    ("like_count", "-1", "is negative"),
    ("like_count", "-0", "is negative"),
    ("like_count", "1.5", "is not a whole number"),
    ("like_count", "1e3", "was rounded: give the exact count"),
    ("like_count", "1,000", "is not a whole number: write it without separators"),
    ("like_count", "1 000", "is not a whole number: write it without separators"),
    ("like_count", "٣", "is not a whole number"),
    ("like_count", "null", "is not a number: leave unknown counts empty"),
    ("like_count", "1\x00", "is not a whole number"),
    ("like_count", str(LARGEST_COUNT + 1), f"is more than {LARGEST_COUNT}"),
    ("like_count", "9" * 400, f"is more than {LARGEST_COUNT}"),
]


def quoted(texts: dict[str, str]) -> str:
    return ",".join(f'"{text}"' for text in texts.values())


@pytest.fixture(autouse=True)
def _known(importer: Importer, organization: NewOrganization) -> None:
    add_video(importer.store, organization, "7001")
    add_account(importer.store, organization, "demo")


def file(tmp_path: Path, content: bytes, name: str = "history.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def parquet(tmp_path: Path, **changes: Any) -> Path:
    """Write a Parquet file with one valid row; `columns` replace values or whole Arrow arrays."""
    columns = {
        name: value if isinstance(value, pa.Array) else [value]
        for name, value in (COLUMN_VALUES | changes).items()
    }
    path = tmp_path / "history.parquet"
    pq.write_table(pa.table(columns), path)
    return path


class TestValues:
    def test_invalid_values_are_named_with_their_lines(self, importer: Importer) -> None:
        texts = dict(zip(COLUMNS[VIDEO_SNAPSHOTS], GOOD.split(","), strict=True))
        lines = [quoted(texts | {column: value}) for column, value, _ in MEANINGLESS]
        report = importer.snapshots(importer.write_csv(VIDEO_SNAPSHOTS, GOOD, *lines))
        assert report.problems == [
            Problem(line, column, value[:80] or None, reason)
            for line, (column, value, reason) in enumerate(MEANINGLESS, start=3)
        ]
        assert importer.ingested("from raw.video_snapshots") == []

    def test_one_instant_is_read_however_it_is_spelled(self, importer: Importer) -> None:
        spellings = [
            "2026-05-01T10:00:00Z",
            "2026-05-01 10:00:00z",
            "2026-05-01T10:00Z",
            "2026-05-01T12:00:00+02:00",
            "2026-05-01 12:00:00.000 +0200",
            "2026-05-01T04:30:00.000000999-05:30",
            "2026-05-01 10:00:00+00",
            "2026-05-01 12:00:00.0 +02",
            "2026-05-01T05:00-05",
        ]
        lines = [f"tiktok,7001,{text},1,,,," for text in spellings]
        report = importer.snapshots(importer.write_csv(VIDEO_SNAPSHOTS, *lines))
        assert (report.problems, report.loaded, report.known) == ([], 1, len(spellings) - 1)
        assert importer.ingested("select captured_at from raw.video_snapshots") == [(MAY_1,)]

    def test_the_largest_count_and_the_current_time_are_accepted(self, importer: Importer) -> None:
        line = f"tiktok,7001,{NOW.isoformat()},{LARGEST_COUNT},007,,,"
        assert importer.snapshots(importer.write_csv(VIDEO_SNAPSHOTS, line)).loaded == 1
        rows = importer.ingested("select view_count, like_count from raw.video_snapshots")
        assert rows == [(LARGEST_COUNT, 7)]

    def test_a_row_without_any_count_is_no_reading(self, importer: Importer) -> None:
        path = importer.write_csv(VIDEO_SNAPSHOTS, "tiktok,7001,2026-05-01T10:00:00Z,,,,,")
        [problem] = importer.snapshots(path).problems
        assert (problem.line, problem.column) == (2, None)
        assert problem.reason == "has no counts"

    def test_a_caption_that_postgresql_cannot_hold_is_refused(self, importer: Importer) -> None:
        path = importer.write_csv(VIDEOS, "tiktok,demo,1,2026-05-01T10:00:00Z,a\x00b")
        [problem] = importer.videos(path).problems
        assert (problem.line, problem.reason) == (2, "contains a NUL character")

    def test_only_the_first_error_of_a_row_is_named(self, importer: Importer) -> None:
        report = importer.snapshots(
            importer.write_csv(VIDEO_SNAPSHOTS, *["x,y,z,-1,-1,,,"] * (MOST_NAMED + 10))
        )
        assert report.bad == MOST_NAMED + 10
        assert [problem.line for problem in report.problems] == list(range(2, MOST_NAMED + 2))


class TestCsv:
    def test_line_numbers_count_what_an_editor_counts(
        self, importer: Importer, tmp_path: Path
    ) -> None:
        lines = [
            ",".join(COLUMNS[VIDEOS]),
            'tiktok,demo,1,2026-05-01T10:00:00Z,"two',
            'lines"',
            "",
            "tiktok,demo,2,yesterday,",
            'tiktok,demo,3,"2026-05-01T10:00:00Z","',
            "",
            '"',
            "tiktok,demo,4",
            "tiktok,demo,5,yesterday,",
        ]
        for ending in ("\n", "\r\n", "\r"):
            report = importer.videos(file(tmp_path, ending.join(lines).encode()))
            assert [problem.line for problem in report.problems] == [5, 9, 10]
            assert (report.rows, report.bad) == (5, 3)

    def test_columns_may_come_in_any_order(self, importer: Importer, tmp_path: Path) -> None:
        names = sorted(COLUMNS[VIDEO_SNAPSHOTS])
        texts = dict(zip(COLUMNS[VIDEO_SNAPSHOTS], GOOD.split(","), strict=True))
        content = ",".join(names) + "\n" + ",".join(texts[name] for name in names)
        assert importer.snapshots(file(tmp_path, content.encode())).loaded == 1

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"", "is empty"),
            (b"\n\n", "the first line must name the columns platform,"),
            (f"{HEADER},note\n".encode(), "unknown column 'note': remove it or rename it"),
            (f"{HEADER},view_count\n".encode(), "has the column view_count twice"),
            (HEADER.replace(",save_count", "").encode(), "has no column save_count"),
            (
                f'{HEADER}\n{GOOD}\ntiktok,"70'.encode(),
                "line 3 is not valid CSV: unexpected end of data",
            ),
            (f'{HEADER}\n"tik"tok,7001'.encode(), "line 2 is not valid CSV"),
            (f"{HEADER}\n{'x' * 200_000}".encode(), "line 2 is not valid CSV: field larger"),
            (f"{HEADER}\n{'x,' * 600_000}".encode(), "line 2 has 1048576 characters or more"),
            (bytes(range(256)) * 10, "is not UTF-8; save it as CSV UTF-8"),
        ],
    )
    def test_a_file_of_another_kind_is_refused(
        self, importer: Importer, tmp_path: Path, content: bytes, reason: str
    ) -> None:
        with pytest.raises(UnusableFileError, match=reason):
            importer.snapshots(file(tmp_path, content), skip_bad=True)
        assert registered(importer.settings.landing_path) == []
        assert list((importer.settings.landing_path / "imports").iterdir()) == []

    def test_bytes_of_another_encoding_are_a_fault_of_their_row(
        self, importer: Importer, tmp_path: Path
    ) -> None:
        rows = ["tiktok,demo,1,2026-05-01T10:00:00Z,café"] * 2
        content = "\n".join([",".join(COLUMNS[VIDEOS]), rows[0]]).encode()
        report = importer.videos(file(tmp_path, content + b"\n" + rows[1].encode("latin-1")))
        assert (report.rows, report.bad) == (2, 1)
        assert (report.problems[0].line, report.problems[0].reason) == (
            3,
            "is not UTF-8: save the file as CSV UTF-8",
        )

    def test_rows_too_short_or_too_long_are_named_and_the_others_read(
        self, importer: Importer, tmp_path: Path
    ) -> None:
        lines = [HEADER, "tiktok,7001", GOOD, GOOD + ",", GOOD.replace("7001", "9")]
        report = importer.snapshots(file(tmp_path, "\n".join(lines).encode()), skip_bad=True)
        assert [(problem.line, problem.reason) for problem in report.problems] == [
            (2, "has 2 values, not 8"),
            (4, "has 9 values, not 8"),
            (5, NO_POST),
        ]
        assert report.loaded == 1

    def test_files_longer_than_a_chunk_keep_their_line_numbers(
        self, importer: Importer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(file_rows, "CHUNK", 3)
        lines = [f"tiktok,7001,2026-05-01T10:00:{second:02}Z,1,,,," for second in range(10)]
        lines[8] = "bad"
        report = importer.snapshots(importer.write_csv(VIDEO_SNAPSHOTS, *lines), skip_bad=True)
        assert [problem.line for problem in report.problems] == [10]
        assert (report.rows, report.loaded) == (10, 9)


class TestParquet:
    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"platform": pa.array(["tiktok"]).dictionary_encode()},
            {"platform": pa.array(["tiktok"], pa.large_string())},
            {"platform_video_id": pa.array([7001], pa.uint64())},
            {"view_count": pa.array([10], pa.uint8())},
            {"view_count": pa.array(["10"])},
            {"captured_at": pa.array([MAY_1], pa.timestamp("ns", "Asia/Kolkata"))},
            {"captured_at": pa.array([MAY_1], pa.timestamp("s", "+05:30"))},
            {"captured_at": pa.array(["2026-05-01T12:00:00+02:00"])},
            {"like_count": pa.array([None], pa.null())},
        ],
    )
    def test_types_that_lose_nothing_are_read(
        self, importer: Importer, tmp_path: Path, changes: dict[str, Any]
    ) -> None:
        assert importer.snapshots(parquet(tmp_path, **changes)).problems == []
        rows = importer.ingested(
            "select captured_at, view_count, like_count from raw.video_snapshots"
        )
        assert rows == [(MAY_1, 10, None)]

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"view_count": 10.0}, "view_count is double, not a type of whole numbers"),
            ({"view_count": True}, "view_count is bool"),
            ({"view_count": pa.array([[10]])}, "view_count is list"),
            ({"platform_video_id": 7001.0}, "platform_video_id is double, not text"),
            ({"platform": b"tiktok"}, "platform is binary"),
            ({"captured_at": datetime(2026, 5, 1)}, "not a timestamp with a time zone"),  # noqa: DTZ001
            ({"captured_at": MAY_1.date()}, "not a timestamp with a time zone"),
            ({"captured_at": 1777629600}, "not a timestamp with a time zone"),
            ({"note": "x"}, "unknown column 'note'"),
        ],
    )
    def test_types_that_could_lose_something_are_refused(
        self, importer: Importer, tmp_path: Path, changes: dict[str, Any], reason: str
    ) -> None:
        with pytest.raises(UnusableFileError, match=reason):
            importer.snapshots(parquet(tmp_path, **changes))

    def test_bad_rows_are_named_by_their_number(self, importer: Importer, tmp_path: Path) -> None:
        good = pl.DataFrame([COLUMN_VALUES], infer_schema_length=None)
        rows = [good, good.with_columns(view_count=-5), good.with_columns(platform=pl.lit(""))]
        path = tmp_path / "history.parquet"
        pl.concat(
            [row.with_columns(pl.col("^.*_count$").cast(pl.Int64)) for row in rows]
        ).write_parquet(path)
        report = importer.snapshots(path)
        assert [(p.line, p.column, p.value) for p in report.problems] == [
            (2, "view_count", "-5"),
            (3, "platform", None),
        ]

    def test_a_file_cut_short_is_refused_wherever_it_was_cut(
        self, importer: Importer, tmp_path: Path
    ) -> None:
        content = parquet(tmp_path).read_bytes()
        for length in (1, 4, 5, len(content) // 2, len(content) - 1):
            path = file(tmp_path, content[:length], "cut.parquet")
            with pytest.raises(UnusableFileError, match="cannot be read as Parquet"):
                importer.snapshots(path)

    @pytest.mark.parametrize("seconds", [-(2**40), 2**42])
    def test_an_instant_outside_of_all_years_is_named(
        self, importer: Importer, tmp_path: Path, seconds: int
    ) -> None:
        times = pa.array([seconds * 10**6], pa.timestamp("us", "UTC"))
        [problem] = importer.snapshots(parquet(tmp_path, captured_at=times)).problems
        assert (problem.column, problem.value) == ("captured_at", str(seconds * 10**6))

    def test_an_invalid_text_is_refused(self, importer: Importer, tmp_path: Path) -> None:
        """Reading it could crash the process."""
        content = parquet(tmp_path).read_bytes()
        assert b"tiktok" in content
        damaged = file(tmp_path, content.replace(b"tiktok", b"tik\xff\xfe\xfd"), "damaged.parquet")
        with pytest.raises(UnusableFileError, match="cannot be read as Parquet"):
            importer.snapshots(damaged)

    def test_a_csv_that_calls_itself_parquet_is_refused(
        self, importer: Importer, tmp_path: Path
    ) -> None:
        with pytest.raises(UnusableFileError, match="cannot be read as Parquet"):
            importer.snapshots(file(tmp_path, HEADER.encode(), "history.parquet"))


@given(content=st.binary(max_size=300), where=st.integers(0, 200), is_parquet=st.booleans())
@settings(
    max_examples=dose(40, 150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_no_bytes_break_the_reader(
    tmp_path: Path, content: bytes, where: int, *, is_parquet: bool
) -> None:
    """Any file content gives rows, named errors or a refusal."""
    whole = f"{HEADER}\n{GOOD}\n{GOOD}\n".encode()
    if is_parquet:
        whole = parquet(tmp_path).read_bytes()
    path = file(tmp_path, whole[:where] + content + whole[where + len(content) :], "some")
    try:
        chunks = list(read_chunks(path, COLUMNS[VIDEO_SNAPSHOTS]))
    except UnusableFileError:
        return
    assert all(chunk.rows["line"].is_sorted() for chunk in chunks)
