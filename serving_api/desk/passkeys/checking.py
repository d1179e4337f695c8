"""What browsers are asked for, and whether what they bring is right: WebAuthn, by `webauthn`.

Knows no database. A passkey is good at the origin that people reach, and its device has made sure
that its person is there (user verification). What devices say of their make is not asked for.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import webauthn
from webauthn.helpers import options_to_json_dict, parse_authentication_credential_json
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from serving_api.desk.passkeys.challenges import LASTS
from serving_api.desk.sessions import SignedIn
from warehouse.operational.models import Passkey

NAMED = "Creator tracking"
MILLISECONDS = int(LASTS.total_seconds() * 1000)
LONGEST_ID = 1023
"""Bytes of a credential's id (Web Authentication Level 3, 5.8.3)."""
VERIFIED = UserVerificationRequirement.REQUIRED


class NotRight(Exception):  # noqa: N818 - no error: somebody tried
    """What was brought is no passkey, or none for this."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Which passkey somebody says to use, and whose the device says it is."""

    credential_id: bytes
    user_handle: bytes | None


@dataclass(frozen=True, slots=True)
class Made:
    """What is kept of a new passkey."""

    credential_id: bytes
    public_key: bytes
    sign_count: int


@dataclass(frozen=True, slots=True)
class Party:
    """Who asks: the origin that people reach, as browsers write it, and its name."""

    origin: str
    name: str

    @classmethod
    def at(cls, base_url: str) -> "Party":
        """Return who asks at TRACKER_BASE_URL."""
        parts = urlsplit(base_url.lower())
        usual = {"http": ":80", "https": ":443"}[parts.scheme]
        return cls(f"{parts.scheme}://{parts.netloc.removesuffix(usual)}", parts.hostname or "")

    def asks_for_new(
        self, person: SignedIn, known: Sequence[bytes], challenge: bytes
    ) -> Mapping[str, Any]:
        """Return what the browser is asked so that a passkey is made; not on a known device."""
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
        """Return what the browser is asked so that somebody signs in by whichever passkey."""
        options = webauthn.generate_authentication_options(
            rp_id=self.name, challenge=challenge, timeout=MILLISECONDS, user_verification=VERIFIED
        )
        return options_to_json_dict(options)

    def made(self, sent: str, challenge: bytes) -> Made:
        """Return what a browser made. Raises NotRight."""
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
        """Return what the device has counted by this use of a passkey.

        Raises NotRight, also where it counted no further: there are two of that device.
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
    """Return what a browser says, of which nothing is verified. Raises NotRight."""
    with _a_strangers():
        credential = parse_authentication_credential_json(sent)
        return Claim(credential.raw_id, credential.response.user_handle)


@contextmanager
def _a_strangers() -> Iterator[None]:
    """Have whatever the library stumbles over mean one thing: anybody may send any bytes.

    It hands on what its parsers of CBOR and keys raise, and promises no list of that.
    """
    try:
        yield
    except Exception as error:
        raise NotRight from error
