"""`/.well-known/jwks.json`: public keys that verify signatures (RFC 7517)."""

from collections.abc import Mapping, Sequence

from fastapi import APIRouter, Request

from serving_api.kit.services import services_of
from serving_api.signing.signer import Signer

KEY_SET = "/.well-known/jwks.json"

router = APIRouter()


@router.get(KEY_SET, include_in_schema=False)
async def read_key_set(request: Request) -> Mapping[str, Sequence[Mapping[str, str]]]:
    return {"keys": [services_of(request)[Signer].public_key]}
