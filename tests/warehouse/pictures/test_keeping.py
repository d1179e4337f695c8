"""Pictures are fetched over HTTP from the test's own site and stored in a folder."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import ClassVar

import pytest
from sqlalchemy import update

from tests.factories.machine_clock import clock_ahead
from tests.factories.pictures import jpeg, png
from tests.fixtures.http_server import serving
from warehouse import clock
from warehouse.operational.models import PostPicture
from warehouse.operational.store import OperationalStore
from warehouse.pictures.fetching import MAX_BYTES, Fetcher, NoPictureError
from warehouse.pictures.keeper import WAITS, Keeper, claim, note_stored
from warehouse.storage.folder import FolderStorage

AT_FIRST = datetime(2026, 1, 1, tzinfo=UTC)


class Site(BaseHTTPRequestHandler):
    """Serves pictures and invalid files."""

    contents: ClassVar[dict[str, bytes]] = {
        "/one.png": png(),
        "/again.png": png(),
        "/called.html": jpeg() + b"<script>",
        "/page.png": b"<!doctype html><title>Sign in</title>",
        "/wide.png": png(4_097, 1),
        "/endless.png": png(text=b"x" * MAX_BYTES),
        "/half.png": png()[:-5],
    }
    requests: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.requests.append(self.path)
        content = self.contents.get(self.path)
        self.send_response(200 if content else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serving(Site) as address:
        yield address


def wants(store: OperationalStore, **urls: str) -> None:
    with store.write_session() as session:
        for post, url in urls.items():
            row = {"platform": "tiktok", "platform_video_id": post, "url": url}
            session.add(PostPicture(**row, due_at=AT_FIRST))


def row_of(store: OperationalStore, post: str) -> PostPicture:
    with store.read_session() as session:
        return session.get_one(PostPicture, ("tiktok", post))


def test_each_picture_is_fetched_once_and_stored_by_content(
    store: OperationalStore, site: str, tmp_path: Path
) -> None:
    files = FolderStorage(tmp_path)
    keeper = Keeper(store, files, Fetcher(loopback=True))
    wants(
        store,
        one=f"{site}/one.png",
        same=f"{site}/again.png",
        jpeg=f"{site}/called.html",
        gone=f"{site}/nothing.png",
    )
    assert keeper.work() == {"kept": 3, "not kept": 1}
    assert keeper.work() == {}
    original, same, other = (row_of(store, post).path for post in ("one", "same", "jpeg"))
    assert original is not None
    assert original == same
    assert files.read(original) == png()
    assert other is not None
    assert files.read(other) == jpeg(), "without bytes after the picture"
    assert len(list((tmp_path / "pictures").iterdir())) == 2


def test_a_failed_picture_is_retried_at_growing_intervals_then_given_up(
    store: OperationalStore, site: str, tmp_path: Path
) -> None:
    keeper = Keeper(store, FolderStorage(tmp_path), Fetcher(loopback=True))
    wants(store, gone=f"{site}/gone.png")
    for wait in WAITS:
        before = datetime.now(UTC)
        assert keeper.work() == {"not kept": 1}
        due_at = row_of(store, "gone").due_at
        assert due_at is not None
        assert before + wait <= due_at < before + wait + timedelta(minutes=5)
        with store.write_session() as session:
            session.get_one(PostPicture, ("tiktok", "gone")).due_at = AT_FIRST
    assert keeper.work() == {}
    assert row_of(store, "gone").due_at is None
    assert Site.requests.count("/gone.png") == len(WAITS)


def test_a_late_process_replaces_nothing_that_another_stored(store: OperationalStore) -> None:
    """It was stopped for longer than its lease, and another picture has been stored since."""
    wants(store, one="https://example.com/first.png")
    [late] = claim(store, 1)
    with store.write_session() as session:
        session.get_one(PostPicture, ("tiktok", "one")).due_at = AT_FIRST
    [other] = claim(store, 1)
    note_stored(store, late, "pictures/late.png")
    assert row_of(store, "one").path is None
    note_stored(store, other, "pictures/other.png")
    note_stored(store, late, "pictures/late.png")
    row = row_of(store, "one")
    assert (row.path, row.due_at) == ("pictures/other.png", None)


def test_a_picture_put_off_while_the_clock_was_ahead_is_fetched_once_it_is_right(
    store: OperationalStore,
) -> None:
    wants(store, one="https://example.com/one.png")
    for wait, is_due in ((max(WAITS), False), (max(WAITS) + timedelta(minutes=2), True)):
        with store.write_session() as session:
            picture = session.get_one(PostPicture, ("tiktok", "one"))
            picture.due_at = datetime.now(UTC) + wait
        assert bool(claim(store, 1)) == is_due


def test_pictures_behind_given_up_ones_are_claimed(store: OperationalStore) -> None:
    wants(store, **{f"gone{number}": "https://example.com/gone.png" for number in range(5)})
    with store.write_session() as session:
        session.execute(update(PostPicture).values(attempts=len(WAITS)))
    wants(store, other="https://example.com/other.png")
    assert [picture.platform_video_id for picture in claim(store, 2)] == ["other"]
    assert {row_of(store, f"gone{number}").due_at for number in range(5)} == {None}


def test_a_machine_whose_clock_is_ahead_takes_over_nothing(
    store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    wants(store, one="https://example.com/first.png")
    assert len(claim(store, 1)) == 1
    monkeypatch.setattr(clock, "datetime", clock_ahead(timedelta(days=30)))
    assert claim(store, 1) == []


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/page.png", "not a complete picture"),
        ("/half.png", "not a complete picture"),
        ("/wide.png", "4097 x 1 pixels"),
        ("/endless.png", "more than 4,194,304 bytes"),
        ("/nothing.png", "the response is 404"),
    ],
)
def test_an_invalid_picture_is_refused(site: str, path: str, reason: str) -> None:
    with pytest.raises(NoPictureError, match=reason):
        Fetcher(loopback=True).fetch(site + path)


@pytest.mark.parametrize(
    "url",
    [
        "{site}/one.png",
        "https://127.0.0.1/one.png",
        "https://10.0.0.8/one.png",
        "https://[::ffff:169.254.169.254]/one.png",
        "https://pictures.example.com/one.png",
        "http://pictures.example.com/one.png",
        "file:///etc/passwd",
    ],
)
def test_private_addresses_are_not_requested(site: str, url: str) -> None:
    """The name resolves to a private address."""
    requests_before = len(Site.requests)
    fetcher = Fetcher(loopback=False, resolve=lambda *_: ["192.168.0.7"])
    with pytest.raises(NoPictureError, match="the address"):
        fetcher.fetch(url.format(site=site))
    assert len(Site.requests) == requests_before
