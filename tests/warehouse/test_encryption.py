"""Encrypted values decrypt only for their purpose and with their key."""

import pytest

from warehouse.encryption import Encryption, UnreadableSecretError

ENCRYPTION = Encryption(b"s" * 32)


@pytest.mark.parametrize("text", ["0000", "", "Zürich \N{SNOWMAN}" * 1000])
def test_a_text_comes_back_as_it_was(text: str) -> None:
    stored = ENCRYPTION.encrypt(text, "pin")
    assert ENCRYPTION.decrypt(stored, "pin") == text
    assert text == "" or text.encode() not in stored


def test_equal_texts_do_not_look_equal() -> None:
    """A list of stored PINs must not show which creators share one."""
    assert ENCRYPTION.encrypt("1234", "pin") != ENCRYPTION.encrypt("1234", "pin")


def test_another_process_with_the_same_secret_reads_it() -> None:
    assert Encryption(b"s" * 32).decrypt(ENCRYPTION.encrypt("1234", "pin"), "pin") == "1234"


def test_another_secret_purpose_or_text_is_refused_by_name() -> None:
    stored = ENCRYPTION.encrypt("1234", "pin")
    altered = stored[:-2] + bytes([stored[-2] ^ 1]) + stored[-1:]
    for reader, text, purpose in (
        (Encryption(b"t" * 32), stored, "pin"),
        (ENCRYPTION, stored, "payout"),
        (ENCRYPTION, altered, "pin"),
        (ENCRYPTION, b"", "pin"),
    ):
        with pytest.raises(UnreadableSecretError, match=purpose):
            reader.decrypt(text, purpose)
