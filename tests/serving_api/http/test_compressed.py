"""Responses of the API are compressed for clients that accept it."""

from tests.fixtures.api import Tenant

ZIPPED = {"Accept-Encoding": "gzip"}


def test_large_answers_are_compressed(tenant: Tenant) -> None:
    creator = tenant.creator(metadata={"text": "a" * 3000})
    path = f"/creators/{creator['id']}"
    plain = tenant.client.get(path, headers={"Accept-Encoding": "gzip;q=0, br"})
    assert "Content-Encoding" not in plain.headers
    sent = tenant.client.get(path, headers=ZIPPED)
    assert sent.headers["Content-Encoding"] == "gzip"
    assert sent.headers["Vary"] == "Accept-Encoding"
    assert int(sent.headers["Content-Length"]) < len(sent.content)
    assert sent.json() == plain.json()
    short = tenant.client.get("/me", headers=ZIPPED)
    assert "Content-Encoding" not in short.headers
