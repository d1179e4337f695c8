"""The logo of an organization: uploaded at the desk, shown to outsiders."""

import re
from pathlib import Path

import httpx
import pytest

from serving_api.files.kinds import MEBIBYTE
from tests.factories.pictures import jpeg, padded, pdf, png, webp
from tests.factories.visitors import main_page, visiting
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from tests.serving_api.report_page.test_reports import opened, share


def page_of(sitter: Sitter) -> str:
    return f"{sitter.home}/settings/organization"


def upload(sitter: Sitter, content: bytes, name: str = "logo.png") -> httpx.Response:
    form = {"form": sitter.hidden(page_of(sitter))}
    return sitter.post(page_of(sitter), data=form, files={"logo": (name, content)})


def logo_on(html: str) -> str:
    [address] = re.findall(r'<img src="(/files/[^"]+)" alt="">', html)
    return str(address)


def stored(tenant: Tenant) -> list[Path]:
    folder = tenant.api.settings.home / "files" / "orgs" / str(tenant.organization_id)
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "content", [png(8, 8), jpeg(8, 8), webp(8, 8)], ids=["png", "jpeg", "webp"]
)
def test_a_logo_is_on_reports_and_share_pages(
    tenant: Tenant, admin: Sitter, content: bytes
) -> None:
    assert upload(admin, content).status_code == 303
    address = logo_on(admin.get(page_of(admin)).text)
    with httpx.Client(base_url=tenant.api.base_url) as visitor:
        report = opened(visitor, share(tenant))
        assert logo_on(report.text) == address
        assert "img-src 'self' data:" in report.headers["Content-Security-Policy"]
        picture = visitor.get(address)
    assert picture.content == content
    assert picture.headers["Content-Type"].startswith("image/")
    assert picture.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in picture.headers["Content-Security-Policy"]
    assert picture.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    with visiting(tenant, tenant.creator()) as visitor:
        assert "Acme" in main_page(visitor)
        assert logo_on(visitor.get(str(visitor.base_url).rstrip("/")).text) == address


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "Choose a PNG, JPEG or WebP image"),
        (pdf(), "Choose a PNG, JPEG or WebP image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "Choose a PNG"),
        (png() + b"<script>", "Choose a PNG"),
        (png()[:-4], "Choose a PNG"),
        (padded(MEBIBYTE + 1), "Choose an image of at most 1 MB"),
        (png(5_000, 1), "has 5000 x 1 pixels"),
    ],
)
def test_an_invalid_logo_is_refused_at_its_field(
    tenant: Tenant, admin: Sitter, content: bytes, sentence: str
) -> None:
    refused = upload(admin, content)
    assert refused.status_code == 400
    [message] = re.findall(r'id="wrong-logo">([^<]+)<', refused.text)
    assert sentence in message
    assert stored(tenant) == []


def test_one_is_replaced_and_removed_with_its_file(tenant: Tenant, admin: Sitter) -> None:
    upload(admin, png(1, 1))
    upload(admin, png(2, 2))
    [logo] = stored(tenant)
    assert logo.read_bytes() == png(2, 2)
    admin.send(page_of(admin), page=page_of(admin), remove="yes")
    assert stored(tenant) == []
    assert "<img" not in admin.get(page_of(admin)).text
    assert admin.audit_events().count(("page", "change_logo")) == 3


def test_another_organization_sees_and_changes_its_own_alone(tenant: Tenant, admin: Sitter) -> None:
    upload(admin, png())
    address = logo_on(admin.get(page_of(admin)).text)
    assert str(tenant.organization_id) in address
    foreign = address.replace(str(tenant.organization_id), "00000000-0000-0000-0000-000000000000")
    base_url = tenant.api.base_url
    assert httpx.get(base_url + foreign).status_code == 404
    assert httpx.get(f"{base_url}{address.rpartition('/')[0]}/..%2f..%2fsecret").status_code == 404
    assert upload(Sitter(tenant, role="member"), png()).status_code == 403


def test_no_other_form_accepts_a_file(admin: Sitter) -> None:
    new = f"{admin.home}/campaigns/new"
    form = {"form": admin.hidden(new), "name": "Autumn"}
    refused = admin.post(new, data=form, files={"logo": ("logo.png", png())})
    assert refused.status_code == 400
    assert "Submit the form on the page" in refused.text


@pytest.mark.parametrize("charset", ["undefined", "punycode", "unicode_escape"])
def test_no_codec_but_utf_8_reads_a_form(admin: Sitter, charset: str) -> None:
    fields = {"form": admin.hidden(page_of(admin)), "once": "\\ud800"}
    parts = [f'--b\r\nContent-Disposition: form-data; name="{name}"' for name in (*fields, "logo")]
    values = (*fields.values(), png().decode("latin-1"))
    body = "".join(f"{part}\r\n\r\n{value}\r\n" for part, value in zip(parts, values, strict=True))
    media_type = f"multipart/form-data; boundary=b; charset={charset}"
    content = f"{body}--b--\r\n".encode("latin-1")
    refused = admin.post(page_of(admin), content=content, headers={"Content-Type": media_type})
    assert refused.status_code == 400
    assert "The form cannot be parsed" in refused.text
