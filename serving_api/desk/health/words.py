"""Explanations and remedies of refusals, for members.

`scrapers.refusing` has the same for operators, with the names of settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """What a kind of refusal means, and its remedy."""

    means: str
    remedy: str


BROKEN: Mapping[str, str] = {
    "expired": "the authorization expired",
    "revoked": "the creator revoked the authorization",
}
"""By reason for which a connection broke."""
REFUSED_CONNECTION = (
    "This may pass: the authorization is tried again for a week. If the creator removed it, create"
    " a connect link and send it."
)
RECONNECT = "Only the creator can reconnect: create a connect link and send it."
CONNECT = "The platform responds for other accounts. Ask the creator to connect this one."
OPEN_UP = "Ask the creator to make the account public or to connect it."
LOOK_FOR = (
    "Check that the handle is right and the account public, or ask the creator to connect it."
)

_CONNECT = "Ask creators to connect their accounts: connected accounts are not refused."
_SIGN_IN_REQUIRED = Words("The platform refuses requests without sign-in.", _CONNECT)
_OTHER = Words("The platform does not respond.", "Ask your administrator.")
REFUSALS: Mapping[str, Words] = {
    "blocked_silent": _SIGN_IN_REQUIRED,
    "challenged": _SIGN_IN_REQUIRED,
    "login_required": _SIGN_IN_REQUIRED,
    "region_blocked": Words(
        "The platform does not serve the country or network of this service.",
        f"{_CONNECT} Or ask your administrator to check the service's proxy.",
    ),
    "rate_limited": Words("The platform limits the number of requests.", _CONNECT),
    "budget_spent": Words(
        "The daily budget for requests is spent.",
        "Checks continue the next day (UTC). Your administrator can raise the budget.",
    ),
    "out_of_reach": Words(
        "The current provider does not show such accounts.",
        "Ask the creator to connect the account, or your administrator to add a provider.",
    ),
    "consent_ended": Words(
        "The creator's authorization expired or was revoked.",
        "Send the creator a new connect link.",
    ),
    "schema_changed": Words(
        "The platform changed its response format.",
        "Ask your administrator to upgrade this service.",
    ),
    "unreachable": Words(
        "The platform cannot be reached.", "Ask your administrator to check the service's network."
    ),
}
"""By outcome, as in program health."""


def words_of(outcome: str) -> Words:
    """Return the words for an outcome, or general ones for an unknown outcome."""
    return REFUSALS.get(outcome, _OTHER)
