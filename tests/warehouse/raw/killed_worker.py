"""Registration, ingestion and compaction in a separate process, to be killed."""

import importlib
import os
import signal
from collections.abc import Callable
from datetime import date
from multiprocessing.connection import Connection
from typing import Any

from warehouse.connection import open_warehouse
from warehouse.landing.compaction import compact
from warehouse.operational.store import operational_store
from warehouse.raw.ingest import ingest_registered
from warehouse.registration.register import register_landed
from warehouse.settings import Settings


def die_at(name: str, when: str) -> None:
    """Kill this process before or after the first call of `module:function`."""
    module_name, function_name = name.split(":")
    module = importlib.import_module(module_name)
    function: Callable[..., Any] = getattr(module, function_name)

    def deadly(*arguments: Any, **named: Any) -> None:
        if when == "after":
            function(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(module, function_name, deadly)


def work(ready: Connection | None, settings: Settings, *step: str) -> None:
    """Signal the start and run the steps, until `step` if there is one."""
    if step:
        die_at(*step)
    if ready:
        ready.send(None)
    with operational_store(settings) as store:
        register_landed(store, settings)
        with open_warehouse(settings) as warehouse:
            ingest_registered(store, settings, warehouse)
            compact(settings.landing_path, date(2099, 1, 1))
