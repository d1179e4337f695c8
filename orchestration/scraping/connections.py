"""Before a crawl: connections that are over are given back, consents near their end renewed.

A look renews the token that it needs; here are those that nobody fetches, such as those of
deactivated accounts, which come back connected.
"""

from datetime import timedelta
from itertools import takewhile

from orchestration.resources.tokens import Renewals
from scrapers.consent.grant import ConsentError
from scrapers.consent.registry import disconnecting, logins_of
from warehouse.clock import Clock, system_clock
from warehouse.connections import rows
from warehouse.connections.storing import disconnect_all
from warehouse.encryption import Encryption
from warehouse.operational.store import OperationalStore
from warehouse.secret_key import secret_key
from warehouse.settings import Settings

NEAR = timedelta(days=30)
LONGEST = timedelta(minutes=1)
"""For how long connections are seen to before a crawl: each request may take 15 seconds."""


def settle_connections(
    settings: Settings, store: OperationalStore, platform: str, *, clock: Clock = system_clock
) -> None:
    """Let go of what is over, and renew a platform's consents that end within a month.

    What a platform does not answer is left for the next crawl, as is what takes longer than
    LONGEST: a crawl of all organizations waits. `clock` is the real one.
    """
    with store.read_session() as session:
        if not rows.are_any(session):
            return
    logins, encryption = logins_of(dict(settings)), Encryption(secret_key(settings))
    ends_at = clock() + LONGEST

    def is_in_time() -> bool:
        return clock() < ends_at

    disconnect_all(store, encryption, disconnecting(logins), is_in_time)
    if platform not in logins:
        return
    renewals = Renewals(store, encryption, logins[platform], clock)
    with store.read_session() as session:
        ending = rows.ending(session, platform, clock() + NEAR, clock())
    for connection in takewhile(lambda _: is_in_time(), ending):
        try:
            renewals.note_success(renewals.renew(connection.id))
        except ConsentError:
            continue  # noted where it is over; else the next crawl asks again
