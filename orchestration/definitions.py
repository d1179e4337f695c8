"""Dagster's entry point: `dagster dev -m orchestration.definitions`."""

import logging

from warehouse.loading import loading

with loading():
    from orchestration.assembly import build_definitions
    from warehouse.logs import log_to_stderr
    from warehouse.settings import Settings
    from warehouse.umask import be_private

# This is needed for processes that no command of ours started.
be_private()
log_to_stderr()
logging.getLogger("dagster").propagate = False  # it has its own handlers
settings = Settings()
defs = build_definitions(settings)
