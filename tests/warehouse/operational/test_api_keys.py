"""An API key is unguessable, recognizable and stored only as its hash."""

import re

from warehouse.operational.api_keys import hash_api_key, new_api_key


def test_a_key_has_the_format_of_the_contract() -> None:
    key, key_hash, prefix = new_api_key()
    assert re.fullmatch(r"svc_[0-9a-f]{64}", key)
    assert prefix == key[:12]
    assert key_hash == hash_api_key(key)


def test_no_two_keys_are_alike() -> None:
    assert len({new_api_key()[0] for _ in range(100)}) == 100


def test_the_hash_is_plain_sha256() -> None:
    # The digest of 'abc' in FIPS 180-2, appendix B.1.
    assert hash_api_key("abc").hex() == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )


def test_any_text_has_a_hash() -> None:
    sent = ("", "ключ", "\ud800", "\x00", "svc_" * 10_000)
    assert len({hash_api_key(text) for text in sent}) == len(sent)
