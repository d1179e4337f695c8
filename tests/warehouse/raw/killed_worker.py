"""One pass of registration, ingestion and compaction in a process of its own, to be killed.

Arguments: the data folder, then optionally `module:function` and `before` or `after`: the process
kills itself there, at the first call.
"""

import importlib
import os
import signal
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from warehouse.connection import open_warehouse
from warehouse.landing.compaction import compact
from warehouse.operational.store import operational_store
from warehouse.raw.ingest import ingest_registered
from warehouse.registration.register import register_landed
from warehouse.settings import Settings


def die_at(name: str, when: str) -> None:
    module_name, function_name = name.split(":")
    module = importlib.import_module(module_name)
    function: Callable[..., Any] = getattr(module, function_name)

    def deadly(*arguments: Any, **named: Any) -> None:
        if when == "after":
            function(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(module, function_name, deadly)


def main(home: str, *step: str) -> None:
    settings = Settings(home=Path(home))
    if step:
        die_at(*step)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    with operational_store(settings) as store:
        register_landed(store, settings)
        with open_warehouse(settings) as warehouse:
            ingest_registered(store, settings, warehouse)
            compact(settings.landing_path, date(2099, 1, 1))


if __name__ == "__main__":
    main(*sys.argv[1:])
