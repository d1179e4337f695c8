"""Answers computed from a publication: their tags, 304, the cache, and compressed ones."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from serving_api.http import repeated
from serving_api.http.encoding import gzipped
from tests.factories import marts
from tests.fixtures.api import (
    NOW,
    Api,
    Client,
    Tenant,
    new_tenant,
    publish_history,
    running_api,
)
from warehouse.operational.models import User

PLAIN = {"Accept-Encoding": "identity"}
ZIPPED = {"Accept-Encoding": "gzip"}


class Clock:
    """Business time, which a test moves."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> Any:
        return self.now


class Reader:
    """Asks for the leaderboard of a project whose numbers are published."""

    def __init__(self, served: Api, tenant: Tenant, client: Client, clock: Clock) -> None:
        self.served, self.tenant, self.client, self.clock = served, tenant, client, clock

    def get(
        self,
        path: str = "",
        headers: Mapping[str, str] = PLAIN,
        client: Client | None = None,
    ) -> httpx.Response:
        path = path or f"/projects/{self.tenant.project_id}/views-by-day"
        response = (client or self.client).get(path, headers={**PLAIN, **headers})
        assert response.status_code in {200, 304}, response.text
        return response

    def tag(self) -> str:
        return str(self.get().headers["ETag"])

    def publish(self, number: int) -> None:
        publish_history(self.served.settings, history(self.tenant, number))


def history(tenant: Tenant, number: int) -> marts.History:
    views: dict[datetime, dict[str, int | None]] = {
        NOW - timedelta(days=1): {"view": number},
        NOW: {"view": 3 * number},
    }
    creators = [UUID(int=each) for each in range(40)]
    return marts.History(
        videos=[marts.Video(f"post {creator}", views, creator=creator) for creator in creators],
        as_of=NOW,
        organization=tenant.organization_id,
        project=tenant.project_id,
    )


@pytest.fixture
def reader(api: Api, tmp_path: Path) -> Iterator[Reader]:
    clock = Clock()
    settings = api.settings.model_copy(update={"home": tmp_path})
    store = replace(api.store, clock=clock)
    with (
        new_tenant(api) as tenant,
        running_api(settings, store) as served,
        served.client(tenant.made.api_key) as client,
    ):
        reader = Reader(served, tenant, client, clock)
        reader.publish(10)
        yield reader


@pytest.mark.slow
def test_an_answer_that_still_holds_is_not_sent_again(reader: Reader) -> None:
    first = reader.get()
    tag = first.headers["ETag"]
    assert tag.startswith('"')
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert first.headers["Vary"] == "Accept-Encoding, Authorization"
    for named in (tag, f"W/{tag}", f'"other", {tag}', f'W/"a" ,{tag},"b"', "*"):
        again = reader.get(headers={"If-None-Match": named})
        assert (again.status_code, again.content) == (304, b""), named
        for name in ("ETag", "Cache-Control", "Vary"):
            assert again.headers[name] == first.headers[name]
    for named in ('"other"', tag.strip('"'), tag.upper(), ""):
        assert reader.get(headers={"If-None-Match": named}).content == first.content


def test_an_asterisk_is_no_answer_where_there_is_none(reader: Reader) -> None:
    path = f"/projects/{UUID(int=1)}/views-by-day"
    refused = reader.client.get(path, headers={"If-None-Match": "*"})
    assert refused.status_code == 404
    assert "ETag" not in refused.headers


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda reader: reader.publish(11),
        lambda reader: reader.tenant.campaign(),
        lambda reader: setattr(reader.clock, "now", NOW + timedelta(minutes=15)),
    ],
    ids=["a publication", "a write", "a quarter of an hour"],
)
def test_another_state_has_another_tag(reader: Reader, change: Callable[[Reader], None]) -> None:
    tag = reader.tag()
    assert reader.tag() == tag
    change(reader)
    assert reader.get(headers={"If-None-Match": tag}).status_code == 200
    assert reader.tag() != tag


def test_another_question_has_another_tag(reader: Reader) -> None:
    tag = reader.tag()
    path = f"/projects/{reader.tenant.project_id}/views-by-day?from={NOW.date()}"
    assert reader.get(path).headers["ETag"].partition(".")[0] != tag.partition(".")[0]


@pytest.mark.slow
def test_rows_written_while_an_answer_is_made_leave_it_without_tag(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key is looked up before they are, the session begins after: the label would be older."""
    project = reader.tenant.project_id
    entered = repeated._enter

    def write_after(*arguments: Any) -> Any:
        answer = entered(*arguments)
        if not writes:
            writes.append(reader.tenant.campaign())
        return answer

    writes: list[Any] = []
    monkeypatch.setattr(repeated, "_enter", write_after)
    path = f"/analytics/aggregate/creator-leaderboard?project_id={project}"
    assert "ETag" not in reader.get(path).headers
    assert "ETag" in reader.get(path).headers


def test_a_caller_who_may_no_more_is_refused(reader: Reader) -> None:
    """Who may ask is decided for each request, also where the answer is known."""
    tag, store = reader.tag(), reader.tenant.api.store
    path = f"/projects/{reader.tenant.project_id}/views-by-day"
    conditional = {**PLAIN, "If-None-Match": tag}
    key, user_id = reader.tenant.add_key(("read",))
    with reader.served.client(key) as asking:
        tag = asking.get(path, headers=PLAIN).headers["ETag"]
        conditional["If-None-Match"] = tag
        assert asking.get(path, headers=conditional).status_code == 304
        with store.write_session() as session:
            session.get_one(User, user_id).is_banned = True
        assert asking.get(path, headers=conditional).status_code == 403
    key, _ = reader.tenant.add_key(("write",))
    with reader.served.client(key) as asking:
        assert asking.get(path, headers=conditional).status_code == 403


def test_an_answer_is_cached_for_the_whole_organization(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, _ = reader.tenant.add_key(("read",))
    first = reader.get()
    monkeypatch.setattr(repeated, "_first", None)  # an answer that is made needs it
    with reader.served.client(key) as other:
        again = reader.get(client=other)
    assert (again.content, again.headers["ETag"]) == (first.content, first.headers["ETag"])


@pytest.mark.slow
def test_an_answer_says_that_it_was_cached(reader: Reader) -> None:
    creator = reader.tenant.creator()["id"]
    path = f"/analytics?entity=creator&entity_id={creator}&metric=views"
    first, second, third = (reader.get(path) for _ in range(3))
    assert [response.json()["meta"]["cached"] for response in (first, second, third)] == [
        False,
        True,
        True,
    ]
    assert first.headers["ETag"] != second.headers["ETag"] == third.headers["ETag"]
    for response in (first, second):
        again = reader.get(path, {"If-None-Match": response.headers["ETag"]})
        assert again.status_code == 304
        assert again.headers["ETag"] == response.headers["ETag"]


@pytest.mark.slow
def test_each_encoding_has_a_tag_of_its_own(reader: Reader) -> None:
    plain = reader.get()
    for _ in range(2):
        zipped = reader.get(headers=ZIPPED)
        assert zipped.headers["Content-Encoding"] == "gzip"
        assert zipped.json() == plain.json()
        assert zipped.headers["ETag"] != plain.headers["ETag"]
    conditional = {"If-None-Match": plain.headers["ETag"]}
    assert reader.get(headers={**ZIPPED, **conditional}).status_code == 200
    assert reader.get(headers=conditional).status_code == 304
    assert "Content-Encoding" not in reader.get(headers={"Accept-Encoding": "gzip;q=0, br"}).headers


@pytest.mark.slow
def test_a_large_answer_is_compressed_once_and_outside_the_event_loop(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    compressed: list[int] = []

    def compress(body: bytes) -> bytes:
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        compressed.append(len(body))
        return gzipped(body)

    monkeypatch.setattr(repeated, "LARGE", 100)
    monkeypatch.setattr(repeated, "gzipped", compress)
    assert reader.get(headers=ZIPPED).content
    assert len(compressed) == 1


@pytest.mark.slow
def test_other_answers_are_compressed_too(reader: Reader) -> None:
    creator = reader.tenant.creator(metadata={"text": "a" * 3000})
    sent = reader.client.get(f"/creators/{creator['id']}", headers=ZIPPED)
    assert sent.headers["Content-Encoding"] == "gzip"
    assert sent.headers["Vary"] == "Accept-Encoding"
    assert int(sent.headers["Content-Length"]) < len(sent.content)
    assert "ETag" not in sent.headers
    short = reader.client.get("/me", headers=ZIPPED)
    assert "Content-Encoding" not in short.headers


def test_before_a_publication_nothing_has_a_tag(api: Api, tenant: Tenant) -> None:
    answer = tenant.client.get(f"/projects/{tenant.project_id}/views-by-day")
    assert answer.status_code == 200
    assert "ETag" not in answer.headers
