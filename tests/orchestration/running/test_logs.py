"""What a run that Dagster started logs to stderr: each line has the run, job and step."""

import json
from io import StringIO

import pytest
import structlog
from dagster import JobDefinition, OpExecutionContext, PartitionedConfig, RunConfig, job, op

from orchestration.assembly import store
from orchestration.defs.jobs import JOBS
from orchestration.running.logs import LOGGERS, TO_STDERR
from warehouse.logs import configure_logs
from warehouse.settings import Settings


@op(required_resource_keys={"store"})
def speak(context: OpExecutionContext) -> None:
    context.log.info("through Dagster")
    context.log.debug("of each step, some hundred lines a run")
    structlog.get_logger().warning("of ours", batch_id="b")


@job(config=RunConfig(loggers=TO_STDERR), logger_defs=LOGGERS)
def speaking() -> None:
    speak()


def test_log_lines_of_a_run_have_its_id(
    settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    configure_logs(ours := StringIO())  # for the whole process
    result = speaking.execute_in_process(resources={"settings": settings, "store": store})
    output = capfd.readouterr().err + ours.getvalue()
    lines = [json.loads(line) for line in output.splitlines()]
    line_by_event = {line["event"]: line for line in lines}
    assert not any(line["level"] == "debug" for line in lines)
    run = {"run_id": result.run_id}
    assert (
        line_by_event["through Dagster"].items()
        >= {**run, "job_name": "speaking", "step_key": "speak"}.items()
    )
    assert line_by_event["of ours"].items() >= {**run, "batch_id": "b", "level": "warning"}.items()


def test_every_job_logs_to_stderr() -> None:
    for each in JOBS:
        config = each.partitioned_config if isinstance(each, JobDefinition) else each.config
        if isinstance(config, PartitionedConfig):
            config = config.get_run_config_for_partition_key("main")
        assert config["loggers"] == TO_STDERR
