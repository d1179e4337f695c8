"""A passkey device, written from the specification (Web Authentication Level 3, 6 and 7).

It shares no code with the product. Keyword arguments replace single fields by invalid ones.
"""

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

PRESENT, VERIFIED, BRINGS_KEY = 0x01, 0x04, 0x40


def in_text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def raw_of(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def cbor(value: Any) -> bytes:
    """Encode small integers, bytes, texts and maps (RFC 8949, 3)."""
    if isinstance(value, int):
        return _head(0, value) if value >= 0 else _head(1, -1 - value)
    if isinstance(value, bytes):
        return _head(2, len(value)) + value
    if isinstance(value, str):
        return _head(3, len(value.encode())) + value.encode()
    inside = b"".join(cbor(key) + cbor(element) for key, element in value.items())
    return _head(5, len(value)) + inside


def _head(major: int, size: int) -> bytes:
    if size < 24:
        return bytes([major << 5 | size])
    if size < 256:
        return bytes([major << 5 | 24, size])
    return bytes([major << 5 | 25]) + size.to_bytes(2)


class Authenticator:
    """A device with one passkey and a signature counter."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = secrets.token_bytes(32)
        self.handle = b""
        self.count = 0

    def make(self, options: Mapping[str, Any], **wrong: Any) -> dict[str, Any]:
        """Return the response to `navigator.credentials.create`."""
        self.handle = raw_of(options["user"]["id"])
        key = wrong.get("key", self._public_key())
        attested = bytes(16) + len(self.credential_id).to_bytes(2) + self.credential_id + key
        data = self._data(options["rp"]["id"], BRINGS_KEY, wrong) + attested
        attestation = cbor({"fmt": "none", "attStmt": {}, "authData": data})
        return self._said(
            clientDataJSON=self._client("webauthn.create", options, wrong),
            attestationObject=wrong.get("attestation", attestation),
        )

    def use(self, options: Mapping[str, Any], **wrong: Any) -> dict[str, Any]:
        """Return the response to `navigator.credentials.get`."""
        self.count += 1
        data = self._data(options["rpId"], 0, wrong)
        client = self._client("webauthn.get", options, wrong)
        signed = data + hashlib.sha256(client).digest()
        key = wrong.get("signed_by", self.key)
        return self._said(
            clientDataJSON=client,
            authenticatorData=data,
            signature=key.sign(signed, ec.ECDSA(SHA256())),
            userHandle=wrong.get("handle", self.handle),
        )

    def _said(self, **response: bytes) -> dict[str, Any]:
        credential_id = in_text(self.credential_id)
        return {
            "id": credential_id,
            "rawId": credential_id,
            "type": "public-key",
            "response": {name: in_text(raw) for name, raw in response.items()},
        }

    def _client(self, kind: str, options: Mapping[str, Any], wrong: Mapping[str, Any]) -> bytes:
        client_data = {
            "type": wrong.get("kind", kind),
            "challenge": wrong.get("challenge", options["challenge"]),
            "origin": wrong.get("origin", self.origin),
            "crossOrigin": False,
        }
        return json.dumps(client_data).encode()

    def _data(self, name: str, flags: int, wrong: Mapping[str, Any]) -> bytes:
        party = hashlib.sha256(wrong.get("party", name).encode()).digest()
        set_flags = flags | wrong.get("flags", PRESENT | VERIFIED)
        return party + bytes([set_flags]) + wrong.get("count", self.count).to_bytes(4)

    def _public_key(self) -> bytes:
        numbers = self.key.public_key().public_numbers()
        return cbor({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)})
