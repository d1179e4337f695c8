"""What people are told of refusals: what each outcome means, and what helps.

Operators read the same with the names of settings: `scrapers.remedies`.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """What a kind of refusal means, and what to do."""

    means: str
    remedy: str


BROKEN: Mapping[str, str] = {
    "expired": "its consent ran out",
    "revoked": "its consent was taken back",
}
"""Why a connection broke."""
RECONNECT = "Only the creator can mend it: make a link and send it."
CONNECT = "The platform answers for others. A creator who connects the account lets it be read."
OPEN_UP = "Ask the creator to make the account public, or to connect it."
LOOK_FOR = "See whether it still exists under this name and is public, or have it connected."

_CONNECT = "Have creators connect their accounts: what they let the platform tell is not refused."
_SIGN_IN_REQUIRED = Words("It keeps us out as a client that is not signed in.", _CONNECT)
_OTHER = Words("It does not answer.", "Ask whoever runs this service.")
REFUSALS: Mapping[str, Words] = {
    "blocked_silent": _SIGN_IN_REQUIRED,
    "challenged": _SIGN_IN_REQUIRED,
    "login_required": _SIGN_IN_REQUIRED,
    "region_blocked": Words(
        "It does not serve the country or network of this service.",
        f"{_CONNECT} Whoever runs this service can see whether its address is right.",
    ),
    "rate_limited": Words("It takes fewer questions than it is asked.", _CONNECT),
    "budget_spent": Words(
        "What may be spent on questions in a day is spent.",
        "It goes on with the next day (UTC); whoever runs this service can raise the budget.",
    ),
    "out_of_reach": Words(
        "The way in which it is asked does not show such accounts.",
        "Have the creator connect the account; whoever runs this service can name another way.",
    ),
    "consent_ended": Words(
        "The consent of the creator ran out or was taken back.",
        "Send the creator a new link to connect.",
    ),
    "schema_changed": Words(
        "Its answers have a shape that this version does not read.",
        "Whoever runs this service has to upgrade it.",
    ),
    "unreachable": Words(
        "No answer comes back.",
        "Whoever runs this service sees whether it reaches the platform.",
    ),
}
"""By outcome, as program health names them."""


def words_of(outcome: str) -> Words:
    """Return what to say of an outcome, something general of one that is not known here."""
    return REFUSALS.get(outcome, _OTHER)
