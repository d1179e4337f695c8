"""Signatures of JSON that anyone can verify: Ed25519 (RFC 8032) as JWS (RFC 7515, 8037).

The public keys are at `/.well-known/jwks.json` (RFC 7517).
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, TypedDict

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fastapi import APIRouter, Request

from serving_api.kit.cursor import base64url
from serving_api.kit.services import services_of
from warehouse.secret_key import derived_key

_ALGORITHM = "EdDSA"


class Signature(TypedDict):
    """A JWS with detached content (RFC 7515, appendix F): header and signature in base64url.

    The signed content is the header, a full stop, and the `canonical` document in base64url.
    """

    protected: str
    signature: str


class Signer:
    """Signs for one purpose, with a key derived from the server's secret (`secret_key`).

    All processes with the same secret have the same key; another secret gives another key.
    """

    def __init__(self, secret: bytes, purpose: str) -> None:
        key = derived_key(secret, "signing", purpose)
        self._key = Ed25519PrivateKey.from_private_bytes(key)
        public = {
            "crv": "Ed25519",
            "kty": "OKP",
            "x": base64url(self._key.public_key().public_bytes_raw()),
        }
        thumbprint = base64url(sha256(canonical(public)).digest())  # RFC 7638
        self.public_key: Mapping[str, str] = {
            **public,
            "alg": _ALGORITHM,
            "kid": thumbprint,
            "use": "sig",
        }
        """The public key as JWK (RFC 7517)."""

    def sign(self, document: Mapping[str, Any]) -> Signature:
        header = {"alg": _ALGORITHM, "kid": self.public_key["kid"]}
        protected = base64url(canonical(header))
        signed = self._key.sign(f"{protected}.{base64url(canonical(document))}".encode())
        return {"protected": protected, "signature": base64url(signed)}


def canonical(document: Mapping[str, Any]) -> bytes:
    """Return the canonical form of JSON without fractions (RFC 8785).

    Sorted names, no whitespace, integers in full. The order of names equals that of RFC 8785 for
    names of letters, digits and underscores, which all names here are.
    """
    return json.dumps(
        document, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True
    ).encode()


KEY_SET = "/.well-known/jwks.json"

router = APIRouter()


@router.get(KEY_SET, include_in_schema=False)
async def read_key_set(request: Request) -> Mapping[str, Sequence[Mapping[str, str]]]:
    return {"keys": [services_of(request)[Signer].public_key]}
