"""The public changelog, over HTTP and as files."""

import asyncio
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from serving_api.app import create_app
from serving_api.changelog.endpoints import FOLDER, read_entries
from tests.fixtures.api import PREFIX, Api
from tests.fixtures.within import asked_within

TEXTS = {
    "2026-03-01": "# Campaigns\n\nGroup *creators* and videos.\n",
    "2026-04-01": "# Inbox\n\nReview [posts](/docs#inbox) and [more][m].\n\n[m]: /docs#more\n",
    "2026-05-01": "# Goals\n\nCreators get goals: <script>alert(1)</script>.\n",
}


@dataclass(frozen=True)
class Client:
    """Calls an application in this process."""

    app: FastAPI
    folder: Path
    origin: str

    def get(self, path: str, params: dict[str, Any] | None = None) -> httpx.Response:
        return asyncio.run(self._get(path, params))

    async def _get(self, path: str, params: dict[str, Any] | None) -> httpx.Response:
        changelog = read_entries(self.folder)
        async with asked_within(self.app, self.origin, changelog) as client:
            return await client.get(path, params=params)


@pytest.fixture(scope="module")
def client(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Client:
    """The API with a changelog of three days."""
    folder = tmp_path_factory.mktemp("changelog")
    for day, text in TEXTS.items():
        (folder / f"{day}.md").write_text(text, encoding="utf-8")
    return Client(create_app(api.settings, api.store), folder, api.settings.base_url)


def changelog(client: Client, **query: Any) -> Any:
    response = client.get(f"{PREFIX}/changelog", params=query)
    assert response.status_code == 200, response.text
    return response.json()


def days(envelope: Any) -> list[str]:
    return [entry["date"] for entry in envelope["data"]]


def test_the_newest_comes_first_and_links_are_absolute(client: Client) -> None:
    answered = changelog(client)
    assert days(answered) == ["2026-05-01", "2026-04-01", "2026-03-01"]
    assert answered["data"][1] == {
        "date": "2026-04-01",
        "title": "Inbox",
        "anchor": "2026-04-01",
        "url": "http://127.0.0.1:8000/changelog#2026-04-01",
        "body_markdown": "Review [posts](http://127.0.0.1:8000/docs#inbox) and [more][m].\n\n"
        "[m]: http://127.0.0.1:8000/docs#more",
    }
    assert answered["meta"] == {
        "total": 3,
        "hasMore": False,
        "nextCursor": None,
        "changelog_url": "http://127.0.0.1:8000/changelog",
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"since": "2026-04-01"}, ["2026-05-01", "2026-04-01"]),
        ({"since": "2026-05-02"}, []),
        ({"since": "1970-01-01"}, ["2026-05-01", "2026-04-01", "2026-03-01"]),
        ({"since": "9999-12-31"}, []),
        ({"q": "CREATORS"}, ["2026-05-01", "2026-03-01"]),
        ({"q": "creators goals"}, ["2026-05-01"]),
        ({"q": "inbox"}, ["2026-04-01"]),
        ({"q": "nothing like it"}, []),
        ({"q": "creators", "since": "2026-04-01"}, ["2026-05-01"]),
    ],
)
def test_since_and_q_filter(client: Client, query: dict[str, str], expected: list[str]) -> None:
    answered = changelog(client, **query)
    assert days(answered) == expected
    assert answered["meta"]["total"] == len(expected)


def test_pages_follow_each_other_and_the_total_stays(client: Client) -> None:
    first = changelog(client, limit=2)
    assert (days(first), first["meta"]["hasMore"], first["meta"]["total"]) == (
        ["2026-05-01", "2026-04-01"],
        True,
        3,
    )
    last = changelog(client, limit=2, cursor=first["meta"]["nextCursor"])
    assert (days(last), last["meta"]["hasMore"], last["meta"]["nextCursor"]) == (
        ["2026-03-01"],
        False,
        None,
    )


def test_a_cursor_belongs_to_its_question(client: Client) -> None:
    cursor = changelog(client, limit=1)["meta"]["nextCursor"]
    for query in ({"q": "creators"}, {"since": "2026-01-01"}, {"cursor": cursor + "x"}):
        response = client.get(f"{PREFIX}/changelog", params={"cursor": cursor, **query})
        assert (response.status_code, response.json()["meta"]["code"]) == (400, "invalid_cursor")


@pytest.mark.parametrize(
    "query",
    [
        {"since": "yesterday"},
        {"since": "2026-13-01"},
        {"limit": "0"},
        {"limit": "101"},
        {"limit": "many"},
        {"q": ""},
        {"before": "2026-01-01"},
    ],
)
def test_a_bad_question_is_refused(client: Client, query: dict[str, str]) -> None:
    response = client.get(f"{PREFIX}/changelog", params=query)
    assert (response.status_code, response.json()["meta"]["code"]) == (400, "invalid_query")


def test_people_read_it_as_a_page_without_scripts(client: Client) -> None:
    page = client.get("/changelog")
    assert page.status_code == 200
    assert 'id="2026-05-01"' in page.text
    assert "<em>creators</em>" in page.text
    assert "<script" not in page.text


def test_every_entry_of_ours_has_a_day_a_title_and_links_from_the_root() -> None:
    entries = read_entries(FOLDER)
    assert len(entries) == len(list(FOLDER.glob("*.md"))) > 0
    for entry in entries:
        assert entry.day <= date(2099, 12, 31)
        assert entry.title
        assert not entry.title.startswith("#")
        for target in re.findall(r"\]\(([^)]*)\)", entry.body_at("https://origin.invalid")):
            assert target.startswith("https://")


def test_an_entry_is_found_whatever_file_names_lie_beside_it(tmp_path: Path) -> None:
    (tmp_path / "2026-03-01.md").write_text("# One\n\nText\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("not an entry", encoding="utf-8")
    assert [entry.title for entry in read_entries(tmp_path)] == ["One"]
