"""Files as people export and edit them: each is parsed correctly, or refused with a fix."""

import gzip
import zipfile
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import duckdb
import pytest

from tests.docs.pages import blocks
from tests.factories.tracking import add_account, add_video
from tests.fixtures.operational import settings_for
from tests.warehouse.imports.conftest import Importer
from warehouse.imports.layouts import ACCOUNT_SNAPSHOTS, COLUMNS, VIDEO_SNAPSHOTS, VIDEOS
from warehouse.imports.report import ImportRefusedError, Report
from warehouse.operational.organizations import NewOrganization
from warehouse.settings import Settings

FILES = Path(__file__).parents[2] / "payloads" / "imports"
NOW = datetime(2026, 9, 21, 12, 30, tzinfo=UTC)
POST, OLDER_POST = "7681083914612403271", "7681004437080699807"
HANDLE = "fuzzy.harbor4"
HEADER = ",".join(COLUMNS[VIDEO_SNAPSHOTS][:8])
GOOD = f"tiktok,{POST},2026-09-15T06:00:00Z,1234,,,,"
AT_6 = "2026-09-15T06:00:00Z"

LOADED = {
    "06_sep_line.csv": (ACCOUNT_SNAPSHOTS, [(AT_6, 100)]),
    "10_semicolons.csv": (VIDEO_SNAPSHOTS, [(AT_6, 1234)]),
    "18_links_for_ids.csv": (VIDEO_SNAPSHOTS, [(AT_6, 1234)]),
    "21_duckdb_offset.csv": (VIDEO_SNAPSHOTS, [("2026-09-15T04:00:00.5Z", 1235), (AT_6, 1234)]),
    "24_blank_rows_cols.csv": (VIDEO_SNAPSHOTS, [("2026-09-15T06:00:03Z", 12)]),
    "28_header_case.csv": (VIDEO_SNAPSHOTS, [("2026-09-15T06:00:05Z", 13)]),
    "45_trailing_space_platform.csv": (VIDEO_SNAPSHOTS, [("2026-09-15T06:00:07Z", 15)]),
    "52_zero_for_unknown.csv": (VIDEO_SNAPSHOTS, [("2026-09-15T06:20:00Z", 0)]),
    "60_wrong_count.csv": (VIDEO_SNAPSHOTS, [("2026-09-20T12:00:00Z", 599_800)]),
    "61_its_correction.csv": (VIDEO_SNAPSHOTS, [("2026-09-20T12:00:00Z", 5_998)]),
    "71_point_zero_ids.csv": (VIDEO_SNAPSHOTS, [(AT_6, 1234)]),
    "72_invisible_marks.csv": (VIDEO_SNAPSHOTS, [(AT_6, 1234)]),
    "73_header_only.csv": (VIDEO_SNAPSHOTS, []),
    "77_counts_on_their_own_rows.csv": (VIDEO_SNAPSHOTS, [(AT_6, None), (AT_6, 1234)]),
}
REFUSED = {
    "01_tiktok_overview_raw.csv": (
        ACCOUNT_SNAPSHOTS,
        "changes per day, not counts; nothing to",
    ),
    "02_tiktok_followers_raw.csv": (
        ACCOUNT_SNAPSHOTS,
        "add platform, handle, a year and an",
    ),
    "03_tiktok_content_raw.csv": (VIDEOS, "Video link is the post"),
    "04_meta_posts_raw.csv": (VIDEOS, "Post ID another number"),
    "13_sci_ids.csv": (VIDEO_SNAPSHOTS, "was rounded by a spreadsheet: format the column as text"),
    "14_excel_rounded_ids.csv": (
        VIDEOS,
        "by its id, not at 2026-09-15T06:00:00Z: it ends in 0000, rounded by a spreadsheet",
    ),
    "16_graph_media_ids.csv": (VIDEOS, "2011-09-18T16:23:02Z by its id, not at 2026-09-15"),
    "19_dates_us.csv": (VIDEO_SNAPSHOTS, "is not a date and time: write 2026-03-01T06:00:00Z"),
    "20_no_zone.csv": (VIDEO_SNAPSHOTS, "has no UTC offset: write"),
    "22_short_counts.csv": (VIDEO_SNAPSHOTS, "is rounded: give the exact count, or leave it empty"),
    "23_total_row.csv": (VIDEO_SNAPSHOTS, "is not one of tiktok, instagram"),
    "30_latin1.csv": (VIDEOS, "save the file as CSV UTF-8"),
    "32_nan.csv": (VIDEO_SNAPSHOTS, "leave unknown counts empty"),
    "34_workbook.xlsx": (VIDEO_SNAPSHOTS, "is a workbook; save it as CSV UTF-8"),
    "40_no_header.csv": (ACCOUNT_SNAPSHOTS, "first line must name the columns"),
    "62_reading_before_its_post.csv": (VIDEO_SNAPSHOTS, "is before the post was made"),
    "70_social_blade.csv": (
        ACCOUNT_SNAPSHOTS,
        "a time with an offset to Date (guide: Exports of other tools, Social Blade)",
    ),
    "74_two_counts.csv": (VIDEO_SNAPSHOTS, "is on line 3 with other values"),
    "75_two_followers.csv": (ACCOUNT_SNAPSHOTS, "is on line 4 with other values"),
    "76_extra_column.csv": (VIDEO_SNAPSHOTS, "unknown column 'reach': remove it or rename it"),
    "78_ids_of_javascript.csv": (VIDEOS, "ends in 000 as others, rounded by a spreadsheet"),
    "79_ids_with_a_prefix.csv": (VIDEO_SNAPSHOTS, "give its id or its whole link"),
}


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> Settings:
    return settings_for(tmp_path, database_url).at(NOW)


@pytest.fixture(autouse=True)
def _known(importer: Importer, organization: NewOrganization) -> None:
    add_account(importer.store, organization, HANDLE)
    add_account(importer.store, organization, "lucky_easel3", platform="instagram")
    add_video(importer.store, organization, POST)
    add_video(importer.store, organization, OLDER_POST)


def load(importer: Importer, path: Path, kind: str) -> Report:
    return importer.videos(path) if kind == VIDEOS else importer.snapshots(path, kind)


def refusal(importer: Importer, path: Path, kind: str) -> str:
    """Return why a file was refused: an error of the file or of its first row."""
    try:
        report = load(importer, path, kind)
    except ImportRefusedError as refused:
        return str(refused)
    assert (report.loaded, report.bad > 0) == (0, True), report
    return report.problems[0].reason


def write(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "sent.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zipped(name: str) -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(name, HEADER)
    return content.getvalue()


def test_every_handed_file_has_a_right_value() -> None:
    assert {path.name for path in FILES.iterdir()} == LOADED.keys() | REFUSED.keys()


@pytest.mark.parametrize("name", LOADED)
def test_files_that_load(importer: Importer, name: str) -> None:
    kind, readings = LOADED[name]
    assert load(importer, FILES / name, kind).problems == []
    table, count = (
        ("video_snapshots", "view_count")
        if kind == VIDEO_SNAPSHOTS
        else ("account_snapshots", "follower_count")
    )
    query = f"select distinct captured_at, {count} from raw.{table} order by captured_at"
    assert sorted(importer.ingested(query), key=str) == sorted(
        ((datetime.fromisoformat(at), count) for at, count in readings), key=str
    )


def test_two_counts_at_one_time_are_not_loaded(importer: Importer) -> None:
    report = importer.snapshots(FILES / "74_two_counts.csv", skip_bad=True)
    assert [(p.line, p.column, p.reason[:12]) for p in report.problems] == [
        (2, "captured_at", "is on line 3"),
        (3, "captured_at", "is on line 2"),
    ]
    assert (report.loaded, report.known) == (1, 1), "the reading at another time"
    assert importer.ingested("select view_count from raw.video_snapshots") == [(1250,)]


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_are_refused(importer: Importer, name: str) -> None:
    kind, reason = REFUSED[name]
    assert reason in refusal(importer, FILES / name, kind)


@pytest.mark.parametrize(
    "content",
    [
        f"\ufeff\ufeff{HEADER}\n{GOOD}",
        f"{HEADER}\n{GOOD}".replace(",", "\t"),
        f"{HEADER}\n{GOOD}".replace(",", "|"),
        f"sep=;\r\n{HEADER}\r\n{GOOD}\r\n".replace(",", ";"),
        f"\n\nSEP=^\n{HEADER}\n{GOOD}".replace(",", "^"),
        f"{HEADER}\n{GOOD}\n".encode("utf-16"),
        f"sep=\t\n{HEADER}\n{GOOD}\n".replace(",", "\t").encode("utf-16"),
        gzip.compress(f"{HEADER}\n{GOOD}\n".encode("utf-8-sig")),
        f"{HEADER},\n{GOOD},\n , ,,,,,,,\n",
        f"{HEADER.replace(',', ' , ')}\n{GOOD.replace(',', ' , ')}",
        f"{HEADER.replace('_', ' ').title()}\n{GOOD}",
        '"' + HEADER.replace(",", '";"') + '"\n' + GOOD.replace(",", ";"),
        f"{HEADER}\n{GOOD}".replace(POST, f'="{POST}"'),
        f"{HEADER}\n{GOOD}".replace(POST, "'" + POST),
        f"{HEADER}\n{GOOD}".replace(POST, f"https://m.tiktok.com/v/{POST}.html?u=1"),
        f"{HEADER}\n{GOOD}".replace(POST, f"tiktok.com/@other/photo/{POST}"),
        f"{HEADER}\n{GOOD.replace('tiktok', 'TIKTOK')}",
        f"{HEADER}\n{GOOD.replace('1234', '1234.0')}",
        f"{HEADER}\n{GOOD.replace('1234', '1234.00')}",
    ],
)
def test_variations_without_effect_are_read(
    importer: Importer, tmp_path: Path, content: str
) -> None:
    assert importer.snapshots(write(tmp_path, content)).problems == []
    rows = importer.ingested("select captured_at, view_count, like_count from raw.video_snapshots")
    assert rows == [(datetime.fromisoformat(AT_6), 1234, None)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (zipped("history.csv"), "is a zip; import the file in it"),
        (zipped("xl/workbook.xml"), "is a workbook; save it as CSV UTF-8"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "is an Excel workbook"),
        (b"%PDF-1.7", "is a PDF"),
        (b"\x28\xb5\x2f\xfd\x00", "is compressed by zstd"),
        (gzip.compress(f"{HEADER}\n{GOOD}\n".encode())[:-9], "cannot be unpacked"),
        (f"{HEADER}\n{GOOD}\n".encode("utf-16-le"), "is not UTF-8"),
        (f"{HEADER}\n{GOOD}\n".encode("utf-16")[:-1], "is damaged UTF-16"),
        (f"History of August\n{HEADER}\n{GOOD}\n", "line 1 is 'History of August'"),
        ("<!DOCTYPE html>\n<html>", "line 1 is '<!DOCTYPE html>'"),
        ('[{"platform": "tiktok"}]', "first line must name the columns platform"),
        (GOOD, f"line 1 is 'tiktok,{POST}"),
        (f"sep=;\n{GOOD}", f"line 2 is 'tiktok,{POST}"),
        (f"{HEADER},\n{GOOD},x\n", "has a value in a column without a name"),
        (HEADER.replace("view_count", "views"), "has no column view_count"),
    ],
)
def test_unreadable_values_are_refused_with_the_cause(
    importer: Importer, tmp_path: Path, content: str | bytes, reason: str
) -> None:
    assert reason in refusal(importer, write(tmp_path, content), VIDEO_SNAPSHOTS)


@pytest.mark.parametrize(
    ("count", "reason"),
    [
        *((count, "is rounded") for count in ("1.2K", "1,2 Mio.", "12k", "3.4B", "1.2 M")),
        *(
            (count, "is not a whole number")
            for count in ("1234.5", "12.000", "12.400", "12 400", "1.", ".0", "many")
        ),
        ("1e3", "was rounded: give the exact count"),
        ("-1.0", "is negative"),
    ],
)
def test_an_inexact_count_is_refused_by_its_column(
    importer: Importer, tmp_path: Path, count: str, reason: str
) -> None:
    row = GOOD.replace("1234", f'"{count}"')
    report = importer.snapshots(write(tmp_path, f"{HEADER}\n{row}"), VIDEO_SNAPSHOTS)
    [problem] = report.problems
    assert (problem.column, problem.value, report.loaded) == (
        "view_count",
        count.removesuffix(".0") or count,
        0,
    )
    assert reason in problem.reason


MADE_IN_MAY = "3887358779046680199"


class TestIds:
    @pytest.mark.parametrize(
        ("post", "reason"),
        [
            ("tiktok,fuzzy.harbor4,7.68E+18", "was rounded by a spreadsheet"),
            ('tiktok,fuzzy.harbor4,"7,68108E+18"', "was rounded by a spreadsheet"),
            ("tiktok,fuzzy.harbor4,7681083914612400000", "ends in 0000, rounded by a spreadsheet"),
            ("tiktok,fuzzy.harbor4,7412345678901239999", "give the post's link"),
            ("tiktok,fuzzy.harbor4,7781083914612403271", "give the post's link"),
            ("instagram,lucky_easel3,17841400000000000", "give the permalink"),
            ("instagram,lucky_easel3,18012345678901234", "give the permalink"),
            ("instagram,lucky_easel3,3487358779046680000", "ends in 0000, rounded"),
            ("instagram,lucky_easel3,3.88736E+18", "was rounded by a spreadsheet"),
            ("instagram,lucky_easel3,https://www.tiktok.com/@a/video/7681083914612403", "is not a"),
        ],
    )
    def test_invalid_ids_are_refused(self, importer: Importer, post: str, reason: str) -> None:
        path = importer.write_csv(VIDEOS, f"{post},2026-09-15T06:00:00Z,")
        assert reason in refusal(importer, path, VIDEOS)

    def test_genuine_ids_are_loaded(self, importer: Importer) -> None:
        link = "https://www.tiktok.com/@fuzzy.harbor4/video/7681083914612400000"
        genuine = [
            f"tiktok,{HANDLE},{link},2026-09-02T23:28:31Z,its link shows that it ends in 0000",
            f"tiktok,{HANDLE},7681004437080699999,2026-09-02T04:21:00Z,",
            f"instagram,lucky_easel3,{MADE_IN_MAY},2026-05-01T09:56:00Z,",
            "instagram,lucky_easel3,DXyrDajktaI,2026-07-10T09:00:00Z,scheduled",
            "instagram,lucky_easel3,https://www.instagram.com/reel/DXyrDajktaJ/,2026-05-01T10:00Z,",
        ]
        report = importer.videos(importer.write_csv(VIDEOS, *genuine))
        assert report.problems == []
        assert report.loaded == len(genuine)

    def test_one_id_of_many_may_end_in_zeros_by_chance(self, importer: Importer) -> None:
        start = 7681083914612399900
        lines = [f"tiktok,{HANDLE},{start + n},2026-09-02T23:28:31Z," for n in range(200)]
        report = importer.videos(importer.write_csv(VIDEOS, *lines))
        assert (report.problems, report.loaded) == ([], 200)

    def test_rounded_ids_of_readings_are_named(self, importer: Importer) -> None:
        path = importer.write_csv(VIDEO_SNAPSHOTS, GOOD.replace(POST, POST[:15] + "0000"))
        reason = "is not a post of this project: it ends in 0000, rounded by a spreadsheet"
        assert reason in refusal(importer, path, VIDEO_SNAPSHOTS)


GUIDE = "docs/guides/exports.md"
SOCIAL_BLADE = 'Date,Followers,Following,Media\n2026-09-14,--,--,--\n2026-09-15,"12,345",80,120\n'


class TestExportsOfOtherTools:
    """The guide's SQL statements on other tools' export files."""

    @pytest.fixture
    def statements(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        sources = {
            "FollowerHistory.csv": "02_tiktok_followers_raw.csv",
            "Content.csv": "03_tiktok_content_raw.csv",
            "Posts.csv": "04_meta_posts_raw.csv",
        }
        statements = list(blocks(GUIDE, "sql"))
        for name, handed in sources.items():
            (tmp_path / name).write_bytes((FILES / handed).read_bytes())
        (tmp_path / "SocialBlade.csv").write_text(SOCIAL_BLADE)
        monkeypatch.chdir(tmp_path)
        return statements

    def turned(self, statement: str, year: str = "2026") -> Path:
        path = Path("history.csv").absolute()
        rows = duckdb.sql(statement.replace(" 2026'", f" {year}'"))
        rows.write_csv(str(path))
        return path

    def test_followers(self, importer: Importer, statements: list[str]) -> None:
        report = importer.snapshots(self.turned(statements[0], "2025"), ACCOUNT_SNAPSHOTS)
        assert (report.problems, report.loaded) == ([], 1)
        assert importer.ingested(
            "select captured_at, follower_count from raw.account_snapshots"
        ) == [(datetime(2026, 1, 1, tzinfo=UTC), 1031)]

    def test_posts_and_their_readings(self, importer: Importer, statements: list[str]) -> None:
        _, posts, readings, meta_posts, meta_readings, _ = statements
        assert importer.videos(self.turned(posts)).problems == [], "the post is known"
        assert importer.snapshots(self.turned(readings)).problems == []
        at_home = meta_posts.replace('"Publish time"', "'09/27/2024 17:40'")
        assert importer.videos(self.turned(at_home)).loaded == 1
        assert importer.snapshots(self.turned(meta_readings)).problems == []
        counts = "view_count, like_count, comment_count, share_count, save_count"
        assert importer.ingested(f"select {counts} from raw.video_snapshots order by all") == [
            (12_400, 610, 57, 88, 230),
            (18_400, None, 48, 31, None),
        ]

    def test_social_blade(self, importer: Importer, statements: list[str]) -> None:
        assert importer.snapshots(self.turned(statements[-1]), ACCOUNT_SNAPSHOTS).problems == []
        counts = "follower_count, following_count, video_count"
        rows = importer.ingested(f"select {counts} from raw.account_snapshots")
        assert rows == [(12_345, 80, 120)]
