"""Icons of payout methods, sent as base64 or uploaded: only images, each in its own folder."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import text

from serving_api.files.kinds import remove_once_committed
from tests.factories.pictures import PICTURES, jpeg, padded, pdf, png, webp
from tests.fixtures.api import Tenant, new_tenant
from tests.fixtures.uploads import put, reached
from warehouse.storage.opening import open_storage

MEBIBYTE = 1 << 20


def added(tenant: Tenant, **body: Any) -> Any:
    body = {"name": "Cash", **body}
    return tenant.client.data("POST", "/payout-methods", json=body)


@pytest.fixture
def path(tenant: Tenant) -> str:
    """The path of a payout method."""
    return f"/payout-methods/{added(tenant)['id']}"


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def icon(content: bytes, content_type: str = "image/png") -> dict[str, Any]:
    return {"content_type": content_type, "content_base64": encoded(content)}


def set_icon(tenant: Tenant, path: str, content: bytes, content_type: str = "image/png") -> Any:
    return tenant.client.data("POST", f"{path}/icon", json=icon(content, content_type))


def upload_url(tenant: Tenant, path: str, content_type: str = "image/png") -> Any:
    body = {"content_type": content_type}
    return tenant.client.data("POST", f"{path}/icon/upload-url", json=body)


def uploaded(tenant: Tenant, path: str, content: bytes, content_type: str = "image/png") -> str:
    """Upload an icon by signed URL and return its path."""
    made = upload_url(tenant, path, content_type)
    assert put(tenant.api, made["signed_url"], content, content_type).status_code == 200
    stored: str = made["path"]
    return stored


def stored(tenant: Tenant) -> list[Path]:
    """The files in the organization's folder, and its uploads."""
    files = tenant.api.settings.files_path
    lying = (files / "orgs" / str(tenant.organization_id)).rglob("*")
    uploads = files.glob(f"uploads/orgs_{tenant.organization_id}_*")
    return [path for path in (*lying, *uploads) if path.is_file()]


class TestBase64:
    @pytest.mark.parametrize("content_type", PICTURES)
    def test_icons_stay_as_sent(self, tenant: Tenant, path: str, content_type: str) -> None:
        content = PICTURES[content_type](512, 512)
        method = set_icon(tenant, path, content, content_type)
        assert tenant.client.data("GET", path) == method
        assert method["icon_url"].startswith("http://127.0.0.1:8000/files/orgs/")
        response = reached(tenant.api, method["icon_url"])
        assert (response.status_code, response.content) == (200, content)
        assert response.headers["Content-Type"] == content_type

    def test_it_is_public_and_harmless(self, tenant: Tenant, path: str) -> None:
        url = set_icon(tenant, path, png())["icon_url"]
        headers = reached(tenant.api, url).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "sandbox" in headers["Content-Security-Policy"]

    def test_a_new_icon_replaces_the_file(self, tenant: Tenant, path: str) -> None:
        first = set_icon(tenant, path, png())["icon_url"]
        second = set_icon(tenant, path, jpeg(), "image/jpeg")["icon_url"]
        assert reached(tenant.api, first).status_code == 404
        assert reached(tenant.api, second).content == jpeg()
        assert len(stored(tenant)) == 1

    def test_null_removes_it(self, tenant: Tenant, path: str) -> None:
        url = set_icon(tenant, path, png())["icon_url"]
        for _ in range(2):
            method = tenant.client.data("PATCH", path, json={"icon_path": None})
            assert method["icon_url"] is None
        assert reached(tenant.api, url).status_code == 404
        assert stored(tenant) == []

    def test_it_is_deleted_with_its_method(self, tenant: Tenant, path: str) -> None:
        url = set_icon(tenant, path, png())["icon_url"]
        tenant.client.data("DELETE", path)
        assert reached(tenant.api, url).status_code == 404

    def test_it_stays_until_all_is_committed(self, tenant: Tenant, path: str) -> None:
        """Formerly the end of a savepoint, which each form of the desk has, removed it."""
        method = set_icon(tenant, path, png())
        files = open_storage(tenant.api.settings)
        icon = urlsplit(method["icon_url"]).path.removeprefix("/files/")
        with tenant.api.store.write_session() as session:
            remove_once_committed(session, files, icon)
            with session.begin_nested():
                session.execute(text("select 1"))
            assert files.find(icon)
        assert files.find(icon) is None

    def test_a_write_that_fails_removes_nothing(self, tenant: Tenant, path: str) -> None:
        url = set_icon(tenant, path, png())["icon_url"]
        body = {"icon_path": None, "readme": "x" * 50_001}
        tenant.client.refusal("PATCH", path, "notes_too_long", json=body)
        assert reached(tenant.api, url).status_code == 200

    @pytest.mark.parametrize(
        ("content", "content_type"),
        [
            (jpeg(), "image/png"),
            (b"", "image/png"),
            (webp()[:-3], "image/webp"),
            (png() + b"<script>alert(1)</script>", "image/png"),
        ],
    )
    def test_bytes_of_another_format_are_refused(
        self, tenant: Tenant, path: str, content: bytes, content_type: str
    ) -> None:
        body = icon(content, content_type)
        tenant.client.refusal("POST", f"{path}/icon", "content_type_mismatch", json=body)
        assert tenant.client.data("GET", path)["icon_url"] is None
        assert stored(tenant) == []

    def test_it_is_limited_in_bytes_and_pixels(self, tenant: Tenant, path: str) -> None:
        assert len(padded(MEBIBYTE)) == MEBIBYTE
        assert set_icon(tenant, path, padded(MEBIBYTE))["icon_url"]
        assert set_icon(tenant, path, png(4_096, 4_096))["icon_url"]


class TestUploads:
    def test_an_uploaded_icon_is_shown(self, tenant: Tenant, path: str) -> None:
        made = upload_url(tenant, path, "image/webp")
        folder = f"orgs/{tenant.organization_id}/{path.rpartition('/')[2]}/"
        assert made["path"].startswith(folder)
        assert (made["max_bytes"], made["expires_in_seconds"]) == (MEBIBYTE, 7200)

        answer = put(tenant.api, made["signed_url"], webp(), "image/webp")
        expected = {"path": made["path"], "content_type": "image/webp", "size": len(webp())}
        assert (answer.status_code, answer.json()["data"]) == (200, expected)
        assert tenant.client.data("GET", path)["icon_url"] is None

        method = tenant.client.data("PATCH", path, json={"icon_path": made["path"]})
        assert reached(tenant.api, method["icon_url"]).content == webp()
        again = tenant.client.data("PATCH", path, json={"icon_path": made["path"]})
        assert reached(tenant.api, again["icon_url"]).content == webp()

    def test_a_new_method_can_have_a_copy(self, tenant: Tenant, path: str) -> None:
        icon_path = uploaded(tenant, path, png())
        tenant.client.data("PATCH", path, json={"icon_path": icon_path})
        method = added(tenant, icon_path=icon_path)
        tenant.client.data("DELETE", path)
        assert method["id"] in method["icon_url"]
        assert reached(tenant.api, method["icon_url"]).content == png()

    def test_only_images_can_be_uploaded(self, tenant: Tenant, path: str) -> None:
        for content_type in ("image/gif", "image/svg+xml", "application/pdf", None, 1):
            meta = tenant.client.refusal(
                "POST",
                f"{path}/icon/upload-url",
                "invalid_body",
                json={"content_type": content_type},
            )
            assert [issue["path"] for issue in meta["issues"]] == ["content_type"]

    def test_an_icon_of_too_many_pixels_is_refused(self, tenant: Tenant, path: str) -> None:
        made = upload_url(tenant, path)
        answer = put(tenant.api, made["signed_url"], png(5_000, 5_000), "image/png")
        assert (answer.status_code, answer.json()["meta"]["code"]) == (400, "invalid_body")
        assert stored(tenant) == []


@pytest.fixture(scope="module")
def neighbour(api: Any) -> Iterator[tuple[Tenant, str, str]]:
    """Another organization, its method's path, and the path of that method's icon."""
    with new_tenant(api) as tenant:
        path = f"/payout-methods/{added(tenant)['id']}"
        yield tenant, path, uploaded(tenant, path, png())


class TestPaths:
    @pytest.mark.parametrize(
        "form",
        [
            "orgs/{org}/{method}/{id}.png",  # never uploaded
            "orgs/{org}/{method}/",
            "orgs/{org}/{method}",
            "orgs/{org}/{method}/icon.png",
            "orgs/{org}/{method}/../{sibling}/{name}",
            "orgs/{org}/{method}/./{name}",
            "orgs/{org}/{method}//{name}",
            "orgs/{org}/{method}/{name}/",
            "orgs/{org}/{method}/{name}\n",
            "orgs/{org}/{method}/%2e%2e/{name}",
            "orgs/{org}/{method}/{name}.html",
            "orgs\\{org}\\{method}\\{name}",
            "/orgs/{org}/{method}/{name}",
            "../orgs/{org}/{method}/{name}",
            "{name}",
            "orgs/{org}/{sibling}/{name}",  # another method's
            "http://127.0.0.1/orgs/{org}/{method}/{name}",
        ],
    )
    def test_a_path_stays_in_its_folder(self, tenant: Tenant, path: str, form: str) -> None:
        sibling = f"/payout-methods/{added(tenant)['id']}"
        named = uploaded(tenant, sibling, png())
        sent = form.format(
            org=tenant.organization_id,
            method=path.rpartition("/")[2],
            sibling=sibling.rpartition("/")[2],
            name=named.rpartition("/")[2],
            id=uuid4(),
        )
        self.refused(tenant, path, sent)

    def test_another_organization_s_icon_stays_its_own(
        self, tenant: Tenant, path: str, neighbour: tuple[Tenant, str, str]
    ) -> None:
        _, _, theirs = neighbour
        self.refused(tenant, path, theirs)
        body = {"name": "Copied", "icon_path": theirs}
        tenant.client.refusal("POST", "/payout-methods", "invalid_body", json=body)

    def refused(self, tenant: Tenant, path: str, icon_path: str) -> None:
        meta = tenant.client.refusal("PATCH", path, "invalid_body", json={"icon_path": icon_path})
        assert [issue["path"] for issue in meta["issues"]] == ["icon_path"]
        assert tenant.client.data("GET", path)["icon_url"] is None


class TestAddresses:
    @pytest.mark.parametrize(
        "path",
        [
            "orgs/{org}/{org}/{org}.png",
            "orgs/{org}/{org}/..%2f..%2f..%2fsecret.key",
            "orgs/..%2f../{org}/{org}.png",
            "orgs/{org}/payments/{org}.pdf",
            "orgs/{org}/{org}/secret.key",
            "orgs/{org}/{org}/",
            "secret.key",
            "..%2fsecret.key",
            "",
        ],
    )
    def test_other_paths_are_refused(self, tenant: Tenant, path: str) -> None:
        url = f"{tenant.api.base_url}/files/{path.format(org=tenant.organization_id)}"
        answer = httpx.get(url, trust_env=False)
        assert answer.status_code in {400, 404}
        assert answer.json()["data"] is None

    def test_a_file_other_than_an_icon_is_not_shown(self, tenant: Tenant, path: str) -> None:
        folder = tenant.api.settings.files_path / "orgs" / str(tenant.organization_id)
        name = f"{uuid4()}.pdf"
        method = folder / path.rpartition("/")[2]
        method.mkdir(parents=True)
        (method / name).write_bytes(pdf())
        url = f"{tenant.api.base_url}/files/orgs/{tenant.organization_id}/{method.name}/{name}"
        assert httpx.get(url, trust_env=False).status_code == 404
