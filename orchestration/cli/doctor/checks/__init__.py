"""The one list of checks, in the order of the report."""

from orchestration.cli.doctor.checks.clock import check_clock
from orchestration.cli.doctor.checks.connections import check_connections
from orchestration.cli.doctor.checks.data_folder import check_data_folder, check_restore
from orchestration.cli.doctor.checks.disk import check_disk
from orchestration.cli.doctor.checks.files import check_files
from orchestration.cli.doctor.checks.landing import check_landing, check_rejected
from orchestration.cli.doctor.checks.paid_providers import check_paid_providers
from orchestration.cli.doctor.checks.port import check_port
from orchestration.cli.doctor.checks.postgresql import check_postgresql, check_schema
from orchestration.cli.doctor.checks.privacy import check_privacy
from orchestration.cli.doctor.checks.providers import check_providers
from orchestration.cli.doctor.checks.publication import check_publication
from orchestration.cli.doctor.checks.research import check_research
from orchestration.cli.doctor.checks.serving import check_serving
from orchestration.cli.doctor.checks.warehouse import check_warehouse
from orchestration.cli.doctor.finding import Check

CHECKS: tuple[Check, ...] = (
    check_clock,
    check_providers,
    check_paid_providers,
    check_research,
    check_connections,
    check_data_folder,
    check_privacy,
    check_disk,
    check_restore,
    check_postgresql,
    check_schema,
    check_landing,
    check_rejected,
    check_warehouse,
    check_publication,
    check_files,
    check_serving,
    check_port,
)
