"""The frame of desk pages: links to the documentation, and the menu around errors."""

import tomllib
from dataclasses import replace
from itertools import chain
from uuid import uuid4

import pytest

from serving_api.desk.project_pages import DESK_GUIDE, DOCS, ROOMS
from serving_api.desk.settings.pages import TABS
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from warehouse.settings import REPOSITORY

SITE = "https://docs.example/tracker/"
PAGES = {
    "": "guides/desk",
    "/payouts": "guides/pay-creators",
    "/settings/structures": "rules/money",
    "/settings/webhooks": "guides/webhooks",
    "/search": "guides/desk",
}


def test_pages_link_their_page_of_the_docs(tenant: Tenant) -> None:
    with tenant.api.changed(docs_url=SITE) as served:
        admin = Sitter(replace(tenant, api=served))
        for path, docs in PAGES.items():
            page = admin.get(admin.home + path).text
            assert f'href="{SITE}docs/{docs}.html">Help with this page</a>' in page, path


def test_without_an_address_there_is_no_link(admin: Sitter) -> None:
    assert "Help with this page" not in admin.get(admin.home).text


@pytest.mark.parametrize("page", sorted({DESK_GUIDE, *DOCS.values()}))
def test_the_linked_pages_are_in_the_site(page: str) -> None:
    site = tomllib.loads((REPOSITORY / "docs/site/zensical.toml").read_text("utf-8"))["project"]
    assert not site["use_directory_urls"], "pages would have other addresses"
    assert f'"{page}.md"' in str(site["nav"]).replace("'", '"')
    assert (REPOSITORY / f"{page}.md").is_file()


def test_each_name_with_a_page_is_of_the_desk() -> None:
    assert set(DOCS) <= {name for name, *_ in (*ROOMS, *chain.from_iterable(TABS.values()))}


def test_an_error_has_the_menu_of_its_project(admin: Sitter) -> None:
    missing = admin.get(f"{admin.home}/creators/{uuid4()}")
    assert missing.status_code == 404
    assert f'<a href="{admin.home}">To Overview</a>' in missing.text
    for name, path in ROOMS:
        assert f'<a href="{admin.home}{path}">{name}</a>' in missing.text
    elsewhere = admin.get(f"/desk/projects/{uuid4()}")
    assert elsewhere.status_code == 404
    assert '<a href="/desk">To your projects</a>' in elsewhere.text
    assert "To Overview" not in elsewhere.text
