"""`tracker deliver`: sends due webhook messages; any number can run."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Annotated

import typer

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.run import AsJson, Stay
from orchestration.cli.workers import report, stay_at
from warehouse.encryption import Encryption
from warehouse.operational.store import OperationalStore
from warehouse.secret_key import secret_key
from warehouse.settings import Settings
from warehouse.webhooks.delivering import THREADS, Deliverer
from warehouse.webhooks.sending import Sender

Seconds = Annotated[
    float, typer.Option("--every", min=0.1, help="Seconds between ticks, with --stay.")
]


def deliver(stay: Stay = False, every: Seconds = 2.0, as_json: AsJson = False) -> None:
    """Send signed webhook messages, and retry those that did not arrive.

    Run it on any machine that reaches PostgreSQL and has the installation's secret key. Two
    processes never send the same message at once. `tracker up` includes one. If one is killed, the
    others send its messages.

    Examples: `tracker deliver` or `tracker deliver --stay`
    """
    settings = settings_of_environment()
    with current_store(settings) as store, ThreadPoolExecutor(THREADS) as pool:
        deliverer = _deliverer(settings, store, pool)
        try:
            if stay:
                stay_at(partial(_begin, deliverer), every, "webhooks")
            sent = deliverer.deliver()
            deliverer.tidy()
        finally:
            deliverer.end()
    report("messages", sent, as_json=as_json)


def _deliverer(settings: Settings, store: OperationalStore, pool: ThreadPoolExecutor) -> Deliverer:
    encryption = Encryption(secret_key(settings))
    sender = Sender(loopback=settings.webhooks_to_loopback)
    return Deliverer(store, encryption, sender, pool)


def _begin(deliverer: Deliverer) -> None:
    deliverer.begin()
    deliverer.tidy()
