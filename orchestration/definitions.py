"""What Dagster loads: `dagster dev -m orchestration.definitions`."""

from orchestration.assembly import build_definitions
from warehouse.umask import be_private

be_private()  # whatever loads this runs the pipeline, also where no command of ours began it
defs = build_definitions()
