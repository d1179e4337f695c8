"""Changing how an account is tracked (contract, Account: tracking_mode to tracking_end_date)."""

from datetime import date

from serving_api.errors import InvalidBody
from serving_api.resources.tracking.accounts.schemas import AccountChanges
from warehouse.operational.models import Account

_AS_SENT = (
    "tracking_mode",
    "tracking_hashtags",
    "hashtag_inbox_non_matching",
    "tracking_start_date",
    "tracking_end_date",
)

Window = tuple[date | None, date | None]


def change_tracking(account: Account, changes: AccountChanges) -> None:
    """Bring an account's configuration up to what was sent. Raises InvalidBody.

    Posts outside the window were never recorded: where it grows, the next discovery goes back all
    the way and finds them.
    """
    before = _window(account)
    for name in _AS_SENT:
        if changes.sends(name):
            setattr(account, name, getattr(changes, name))
    if account.tracking_mode == "hashtag" and not account.tracking_hashtags:
        raise InvalidBody.at("tracking_hashtags", "must not be empty in mode 'hashtag'")
    start, end = _window(account)
    if start and end and end < start:
        raise InvalidBody.at("tracking_end_date", f"must not be before {start}")
    if _grew(before, (start, end)):
        account.discover_anew()


def _window(account: Account) -> Window:
    return account.tracking_start_date, account.tracking_end_date


def _grew(before: Window, after: Window) -> bool:
    starts_earlier = (after[0] or date.min) < (before[0] or date.min)
    ends_later = (after[1] or date.max) > (before[1] or date.max)
    return starts_earlier or ends_later
