"""WebAuthn challenges, options and verification, by `webauthn`.

A challenge is random, valid once and for five minutes of the real clock. A browser has one; a new
one replaces it. Passkeys are bound to the public origin and require user verification.
Attestation is not requested.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import webauthn
from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert
from webauthn.helpers import options_to_json_dict, parse_authentication_credential_json
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from serving_api.desk.sessions import SignedIn
from serving_api.passwords import hash_token
from warehouse.operational.expiry import delete_expired
from warehouse.operational.models import Passkey, PasskeyChallenge
from warehouse.operational.session import WriteSession

LASTS = timedelta(minutes=5)
BYTES = 32


def new_challenge(session: WriteSession, token: str, user_id: UUID | None, now: datetime) -> bytes:
    """Return a new challenge for the browser's token; `user_id` if the user adds a passkey."""
    delete_expired(session, PasskeyChallenge, PasskeyChallenge.expires_at <= now)
    challenge = secrets.token_bytes(BYTES)
    values = {"user_id": user_id, "challenge": challenge, "expires_at": now + LASTS}
    first = insert(PasskeyChallenge).values(token_hash=hash_token(token), **values)
    key = [PasskeyChallenge.token_hash]
    session.execute(first.on_conflict_do_update(index_elements=key, set_=values))
    return challenge


def consume_challenge(
    session: WriteSession, token: str, user_id: UUID | None, now: datetime
) -> bytes | None:
    """Delete and return the browser's challenge for this purpose, or None.

    The caller must commit even if verification fails: a challenge is valid once.
    """
    deletion = (
        delete(PasskeyChallenge)
        .where(PasskeyChallenge.token_hash == hash_token(token))
        .returning(
            PasskeyChallenge.challenge, PasskeyChallenge.user_id, PasskeyChallenge.expires_at
        )
    )
    row = session.execute(deletion).one_or_none()
    if row is None or row.user_id != user_id or row.expires_at <= now:
        return None
    challenge: bytes = row.challenge
    return challenge


NAMED = "Creator tracking"
MILLISECONDS = int(LASTS.total_seconds() * 1000)
LONGEST_ID = 1023
"""Bytes of a credential id (Web Authentication Level 3, 5.8.3)."""
VERIFIED = UserVerificationRequirement.REQUIRED


class NotRight(Exception):  # noqa: N818 - not an error: an attempt failed
    """The passkey response is invalid."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The claimed passkey, and the user handle that the device sent."""

    credential_id: bytes
    user_handle: bytes | None


@dataclass(frozen=True, slots=True)
class Made:
    """The data to store of a new passkey."""

    credential_id: bytes
    public_key: bytes
    sign_count: int


@dataclass(frozen=True, slots=True)
class Party:
    """The relying party: its origin in the form that browsers send, and its host name."""

    origin: str
    name: str

    @classmethod
    def at(cls, base_url: str) -> "Party":
        """Return the relying party at TRACKER_BASE_URL."""
        parts = urlsplit(base_url.lower())
        usual = {"http": ":80", "https": ":443"}[parts.scheme]
        return cls(f"{parts.scheme}://{parts.netloc.removesuffix(usual)}", parts.hostname or "")

    def asks_for_new(
        self, person: SignedIn, known: Sequence[bytes], challenge: bytes
    ) -> Mapping[str, Any]:
        """Return registration options; devices with a `known` credential are excluded."""
        options = webauthn.generate_registration_options(
            rp_id=self.name,
            rp_name=NAMED,
            user_id=person.id.bytes,
            user_name=person.email,
            user_display_name=person.display_name,
            challenge=challenge,
            timeout=MILLISECONDS,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=VERIFIED
            ),
            exclude_credentials=[
                PublicKeyCredentialDescriptor(id=credential_id) for credential_id in known
            ],
        )
        return options_to_json_dict(options)

    def asks_for_use(self, challenge: bytes) -> Mapping[str, Any]:
        """Return authentication options for any passkey."""
        options = webauthn.generate_authentication_options(
            rp_id=self.name, challenge=challenge, timeout=MILLISECONDS, user_verification=VERIFIED
        )
        return options_to_json_dict(options)

    def made(self, sent: str, challenge: bytes) -> Made:
        """Verify a registration. Raises NotRight."""
        with _a_strangers():
            registration = webauthn.verify_registration_response(
                credential=sent,
                expected_challenge=challenge,
                expected_rp_id=self.name,
                expected_origin=self.origin,
                require_user_verification=True,
            )
        if len(registration.credential_id) > LONGEST_ID:
            raise NotRight
        return Made(
            registration.credential_id, registration.credential_public_key, registration.sign_count
        )

    def count_of(self, sent: str, challenge: bytes, passkey: Passkey) -> int:
        """Verify an authentication and return the device's sign count.

        Raises NotRight, also if the count did not increase, since the device may have been cloned.
        """
        with _a_strangers():
            authentication = webauthn.verify_authentication_response(
                credential=sent,
                expected_challenge=challenge,
                expected_rp_id=self.name,
                expected_origin=self.origin,
                credential_public_key=passkey.public_key,
                credential_current_sign_count=passkey.sign_count,
                require_user_verification=True,
            )
        return authentication.new_sign_count


def claim_of(sent: str) -> Claim:
    """Parse the response without verification. Raises NotRight."""
    with _a_strangers():
        credential = parse_authentication_credential_json(sent)
        return Claim(credential.raw_id, credential.response.user_handle)


@contextmanager
def _a_strangers() -> Iterator[None]:
    """Turn every exception of the library into NotRight, since the input is untrusted.

    `webauthn` passes on errors of its CBOR and key parsers and documents no complete list.
    """
    try:
        yield
    except Exception as error:
        raise NotRight from error
