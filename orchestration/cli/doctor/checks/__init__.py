"""All checks, in the order of the report."""

from orchestration.cli.doctor.checks.connections import check_connections
from orchestration.cli.doctor.checks.fetches import check_fetches, check_pauses
from orchestration.cli.doctor.checks.machine import (
    check_backup,
    check_clock,
    check_data_folder,
    check_disk,
    check_files,
    check_privacy,
    check_restore,
    check_schemas_set_aside,
    check_sentiment_model,
    check_settings,
)
from orchestration.cli.doctor.checks.pipeline import (
    check_pipeline,
    check_starting_runs,
    check_steps,
)
from orchestration.cli.doctor.checks.postgresql import (
    check_postgresql,
    check_schema,
    check_secret_key,
)
from orchestration.cli.doctor.checks.providers import (
    check_embeds,
    check_paid_providers,
    check_providers,
)
from orchestration.cli.doctor.checks.publication import check_publication
from orchestration.cli.doctor.checks.serving import check_port, check_serving
from orchestration.cli.doctor.checks.shards import check_lake, check_shards, check_shared
from orchestration.cli.doctor.checks.warehouse import (
    check_archive,
    check_bucket,
    check_landing,
    check_rejected,
    check_warehouse,
)
from orchestration.cli.doctor.finding import Check

CHECKS: tuple[Check, ...] = (
    check_settings,
    check_clock,
    check_providers,
    check_embeds,
    check_paid_providers,
    check_connections,
    check_data_folder,
    check_privacy,
    check_disk,
    check_backup,
    check_restore,
    check_schemas_set_aside,
    check_postgresql,
    check_schema,
    check_secret_key,
    check_pipeline,
    check_starting_runs,
    check_steps,
    check_pauses,
    check_fetches,
    check_landing,
    check_bucket,
    check_rejected,
    check_archive,
    check_warehouse,
    check_sentiment_model,
    check_publication,
    check_shared,
    check_shards,
    check_lake,
    check_files,
    check_serving,
    check_port,
)
