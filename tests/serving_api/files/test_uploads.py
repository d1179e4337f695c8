"""Signed URLs of uploads and downloads, as an attacker may use them."""

import http.client
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from itsdangerous import TimestampSigner, URLSafeTimedSerializer

from serving_api.files.kinds import ICON, RECEIPT, icon_folder
from serving_api.files.signed_urls import SignedUrls
from tests.factories.pictures import jpeg, padded, pdf, png
from tests.fixtures.api import Api, Tenant, running_api
from tests.fixtures.buckets import Bucket
from tests.fixtures.uploads import here, put, reached
from warehouse.ids import uuid7
from warehouse.secret_key import secret_key
from warehouse.storage import uploads
from warehouse.storage.opening import open_storage

FOLDER = icon_folder(uuid7(), uuid7())


def refused(answer: httpx.Response, status: int, code: str) -> None:
    assert (answer.status_code, answer.json()["meta"]["code"]) == (status, code)


@pytest.fixture(scope="module")
def urls(api: Api) -> SignedUrls:
    return SignedUrls(secret_key(api.settings), api.base_url)


@pytest.fixture
def path() -> str:
    return ICON.new_path(FOLDER, "image/png")


@pytest.fixture
def url(urls: SignedUrls, path: str) -> str:
    """A URL to upload one PNG to."""
    return urls.upload(ICON, path)


def stored(api: Api, path: str) -> bytes | None:
    return uploads.read(open_storage(api.settings), path)


def test_only_the_same_bytes_can_be_sent_again(api: Api, url: str, path: str) -> None:
    assert put(api, url, png(), "image/png").status_code == 200
    assert put(api, url, png(), "image/png").status_code == 200
    answer = put(api, url, png(2, 2), "image/png")
    refused(answer, 409, "conflict")
    assert answer.json()["meta"]["reason"] == "uploaded"
    assert stored(api, path) == png()


def test_a_refused_upload_can_be_retried(api: Api, url: str, path: str) -> None:
    refused(put(api, url, png()[:-1], "image/png"), 400, "content_type_mismatch")
    assert put(api, url, png(), "image/png").status_code == 200
    assert stored(api, path) == png()


@pytest.mark.parametrize(
    "content_type", ["image/jpeg", "application/octet-stream", "text/html", "", "image/pngx"]
)
def test_another_content_type_is_refused(api: Api, url: str, path: str, content_type: str) -> None:
    refused(put(api, url, png(), content_type), 400, "content_type_mismatch")
    assert stored(api, path) is None


@pytest.mark.parametrize("content_type", ["image/png", "Image/PNG", "image/png; q=1"])
def test_a_content_type_is_accepted_in_each_spelling(api: Api, url: str, content_type: str) -> None:
    assert put(api, url, png(), content_type).status_code == 200


def test_bytes_of_another_type_are_refused(api: Api, url: str, path: str) -> None:
    for content in (b"", jpeg(), pdf(), b"<html>", png() + b"<script>"):
        refused(put(api, url, content, "image/png"), 400, "content_type_mismatch")
    assert stored(api, path) is None


class TestSize:
    def test_the_largest_is_stored(self, api: Api, url: str, path: str) -> None:
        assert put(api, url, padded(ICON.max_bytes), "image/png").status_code == 200
        assert len(stored(api, path) or b"") == ICON.max_bytes

    def test_a_receipt_may_have_ten_megabytes(self, api: Api, urls: SignedUrls) -> None:
        large = urls.upload(RECEIPT, RECEIPT.new_path(FOLDER, "application/pdf"))
        content = pdf(RECEIPT.max_bytes + 1)
        refused(put(api, large, content, "application/pdf"), 413, "payload_too_large")
        assert put(api, large, content[1:], "application/pdf").status_code == 400
        content = pdf(RECEIPT.max_bytes)
        assert put(api, large, content, "application/pdf").status_code == 200

    def test_a_larger_one_is_refused_before_it_is_sent(self, api: Api, url: str) -> None:
        with sending(api, url, {"Content-Length": str(1 << 40)}) as connection:
            assert connection.getresponse().status == 413

    def test_a_larger_one_is_refused_while_it_comes_in(self, api: Api, url: str, path: str) -> None:
        with sending(api, url, {"Transfer-Encoding": "chunked"}) as connection:
            for _ in range(ICON.max_bytes // (1 << 16) + 1):
                connection.send(b"10000\r\n" + b"x" * (1 << 16) + b"\r\n")
            answer = connection.getresponse()  # before the body's end
            assert answer.status == 413
        assert stored(api, path) is None

    @pytest.mark.parametrize("content_type", ["image/png", "image/jpeg"])
    def test_strangers_bodies_are_not_read(self, api: Api, url: str, content_type: str) -> None:
        wrong = url[:-5] if content_type == "image/png" else url
        headers = {"Content-Length": "1000", "Content-Type": content_type}
        with sending(api, wrong, headers) as connection:
            assert connection.getresponse().status in {400, 403}

    def test_an_aborted_upload_is_not_stored(self, api: Api, url: str, path: str) -> None:
        with sending(api, url, {"Content-Length": str(len(png()))}) as connection:
            connection.send(png()[:-10])
        assert put(api, url, png(3, 3), "image/png").status_code == 200
        assert stored(api, path) == png(3, 3)


@contextmanager
def sending(api: Api, url: str, headers: dict[str, str]) -> Iterator[http.client.HTTPConnection]:
    """Start an upload; the block sends the body."""
    parts = urlsplit(here(api, url))
    assert parts.hostname is not None
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    connection.putrequest("PUT", parts.path)
    for name, value in {"Content-Type": "image/png", **headers}.items():
        connection.putheader(name, value)
    connection.endheaders()
    try:
        yield connection
    finally:
        connection.close()


def signed_ago(api: Api, seconds: int, purpose: str, signed: object) -> str:
    """A token that the API signed this many seconds ago, by the real clock."""

    class Earlier(TimestampSigner):
        def get_timestamp(self) -> int:
            return int(time.time()) - seconds

    made: Any = URLSafeTimedSerializer(
        secret_key(api.settings),
        salt=purpose,
        signer=Earlier,
        signer_kwargs={"digest_method": sha256},
    )
    return str(made.dumps(signed))


class TestRights:
    def test_an_address_is_over_after_two_hours(self, api: Api, path: str) -> None:
        base = f"{api.base_url}/files/uploads"
        late = f"{base}/{signed_ago(api, 7_205, 'file upload', [ICON.name, path])}"
        refused(put(api, late, png(), "image/png"), 403, "forbidden")
        assert stored(api, path) is None
        early = f"{base}/{signed_ago(api, 7_195, 'file upload', [ICON.name, path])}"
        assert put(api, early, png(), "image/png").status_code == 200
        refused(put(api, late, png(), "image/png"), 403, "forbidden")

    def test_a_download_is_over_after_a_quarter_of_an_hour(self, api: Api, path: str) -> None:
        open_storage(api.settings).put(path, png())
        base = f"{api.base_url}/files/downloads"
        token = signed_ago(api, 895, "file download", path)
        assert reached(api, f"{base}/{token}").content == png()
        token = signed_ago(api, 905, "file download", path)
        refused(reached(api, f"{base}/{token}"), 403, "forbidden")

    def test_an_address_is_for_one_method(self, api: Api, url: str, urls: SignedUrls) -> None:
        put(api, url, png(), "image/png")
        for method in ("GET", "HEAD", "POST", "PATCH", "DELETE"):
            answer = httpx.request(method, url, content=b"", trust_env=False)
            assert answer.status_code == 405
            assert answer.headers["Allow"] == "PUT"
        download = urls.download("x")
        assert httpx.put(download, content=png(), trust_env=False).status_code == 405

    def test_an_upload_url_does_not_allow_downloads(
        self, api: Api, url: str, urls: SignedUrls, path: str
    ) -> None:
        put(api, url, png(), "image/png")
        refused(reached(api, url.replace("uploads", "downloads")), 403, "forbidden")
        swapped = urls.download(path).replace("downloads", "uploads")
        refused(put(api, swapped, png(), "image/png"), 403, "forbidden")

    def test_a_changed_address_is_worth_nothing(self, api: Api, url: str, path: str) -> None:
        token = url.rpartition("/")[2]
        elsewhere = SignedUrls(b"another secret", api.base_url).upload(ICON, path)
        others = (f"x{token}", f"{token}x", token.swapcase(), elsewhere.rpartition("/")[2])
        for changed in (*others, "x", "%00", "é"):
            wrong = f"{api.base_url}/files/uploads/{changed}"
            refused(put(api, wrong, png(), "image/png"), 403, "forbidden")

    def test_a_missing_file_is_reported(self, api: Api, urls: SignedUrls, path: str) -> None:
        refused(reached(api, urls.download(path)), 404, "not_found")


@pytest.mark.slow
def test_a_bucket_stores_and_deletes_icons_as_a_folder_does(tenant: Tenant, bucket: Bucket) -> None:
    settings = bucket.settings(tenant.api.settings)
    with running_api(settings, tenant.api.store) as api, api.client(tenant.made.api_key) as client:
        method = client.data("POST", "/payout-methods", json={"name": "Cash"})
        path = f"/payout-methods/{method['id']}"
        body = {"content_type": "image/png"}
        made = client.data("POST", f"{path}/icon/upload-url", json=body)
        assert put(api, made["signed_url"], png(), "image/png").status_code == 200
        refused(put(api, made["signed_url"], png(2, 2), "image/png"), 409, "conflict")
        stored_method = client.data("PATCH", path, json={"icon_path": made["path"]})
        assert reached(api, stored_method["icon_url"]).content == png()
        client.data("PATCH", path, json={"icon_path": None})
        assert reached(api, stored_method["icon_url"]).status_code == 404

        tidier = uploads.UploadTidier(open_storage(settings))
        tidier.tidy(datetime.now(UTC) + timedelta(hours=25))
        bucket.remove()
        away = put(api, made["signed_url"], png(), "image/png")
        refused(away, 503, "unavailable")
        assert away.headers["Retry-After"]
    assert not settings.files_path.joinpath(made["path"]).exists()
