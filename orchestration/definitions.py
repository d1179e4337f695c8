"""What Dagster loads: `dagster dev -m orchestration.definitions`."""

from orchestration.build import build_definitions

defs = build_definitions()
