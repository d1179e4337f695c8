"""A signed URL is good for one file and one method, until its time is over."""

import time
from hashlib import sha256

import pytest
from itsdangerous import TimestampSigner, URLSafeTimedSerializer

from serving_api.errors import Forbidden
from serving_api.files.kinds import ICON, RECEIPT
from serving_api.files.signed_urls import DOWNLOAD_SECONDS, UPLOAD_SECONDS, SignedUrls

SECRET = b"a secret of the tests, of any length"
ORIGIN = "https://tracker.example"
PATH = "orgs/a/b/c.png"

URLS = SignedUrls(SECRET, ORIGIN)


def token_of(url: str) -> str:
    return url.rpartition("/")[2]


def signed_ago(seconds: int, purpose: str, signed: object) -> str:
    """A token that was made so many seconds ago, by the real clock."""

    class Earlier(TimestampSigner):
        def get_timestamp(self) -> int:
            return int(time.time()) - seconds

    signer_kwargs = {"digest_method": sha256}
    made = URLSafeTimedSerializer(
        SECRET, salt=purpose, signer=Earlier, signer_kwargs=signer_kwargs
    ).dumps(signed)
    return made if isinstance(made, str) else made.decode()


def test_an_upload_is_of_its_kind_to_its_path() -> None:
    url = URLS.upload(RECEIPT, PATH)
    assert url.startswith("https://tracker.example/files/uploads/")
    assert URLS.uploaded(token_of(url)) == (RECEIPT, PATH)


def test_a_download_is_of_its_path() -> None:
    url = URLS.download(PATH)
    assert url.startswith("https://tracker.example/files/downloads/")
    assert URLS.downloaded(token_of(url)) == PATH


def test_neither_is_worth_anything_as_the_other() -> None:
    with pytest.raises(Forbidden):
        URLS.downloaded(token_of(URLS.upload(ICON, PATH)))
    with pytest.raises(Forbidden):
        URLS.uploaded(token_of(URLS.download(PATH)))


def test_another_server_s_secret_signs_nothing_here() -> None:
    other = SignedUrls(b"another secret", ORIGIN)
    with pytest.raises(Forbidden):
        URLS.uploaded(token_of(other.upload(ICON, PATH)))


def test_no_character_can_be_changed() -> None:
    token = token_of(URLS.upload(ICON, PATH))
    for place, character in enumerate(token[:-1]):  # the last one has bits that mean nothing
        other = "A" if character != "A" else "B"
        with pytest.raises(Forbidden):
            URLS.uploaded(token[:place] + other + token[place + 1 :])


@pytest.mark.parametrize("token", ["", ".", "..", "a.b.c", "é", "\x00", "x" * 5_000, "W10.aR7d."])
def test_what_was_never_signed_is_refused(token: str) -> None:
    with pytest.raises(Forbidden):
        URLS.uploaded(token)


def test_an_upload_can_wait_two_hours_and_no_longer() -> None:
    signed = [ICON.name, PATH]
    assert UPLOAD_SECONDS == 7200
    assert URLS.uploaded(signed_ago(UPLOAD_SECONDS - 5, "file upload", signed)) == (ICON, PATH)
    with pytest.raises(Forbidden):
        URLS.uploaded(signed_ago(UPLOAD_SECONDS + 5, "file upload", signed))


def test_a_download_can_wait_a_quarter_of_an_hour_and_no_longer() -> None:
    assert URLS.downloaded(signed_ago(DOWNLOAD_SECONDS - 5, "file download", PATH)) == PATH
    with pytest.raises(Forbidden):
        URLS.downloaded(signed_ago(DOWNLOAD_SECONDS + 5, "file download", PATH))
