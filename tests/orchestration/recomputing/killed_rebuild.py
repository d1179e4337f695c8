"""A rebuild in a process of its own that kills itself at a step.

Arguments: `module:function` and `before` or `after`. Settings come from the environment.
"""

import sys

from orchestration.running import rebuild
from orchestration.running.progress import silent
from tests.warehouse.raw.killed_worker import die_at
from warehouse.operational.store import operational_store
from warehouse.settings import Settings

if __name__ == "__main__":
    die_at(*sys.argv[1:])
    settings = Settings()
    with operational_store(settings) as store:
        rebuild.rebuild(settings, store, on_progress=silent)
