"""The log: one line per event, without the program's secrets."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from warehouse.logs import configure_logs, standard_handler


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    configuration = structlog.get_config()
    stream = io.StringIO()
    configure_logs(stream)
    yield stream
    structlog.configure(**configuration)


def fail(password: str) -> None:
    raise ValueError(f"a password of {len(password)} characters is too short")


def test_a_traceback_is_there_and_local_variables_are_not(stream: io.StringIO) -> None:
    password = "".join(["hun", "ter", "2"])
    try:
        fail(password)
    except ValueError:
        structlog.get_logger().exception("went wrong", step="one")
    line = json.loads(stream.getvalue())
    assert (line["event"], line["level"], line["step"]) == ("went wrong", "error", "one")
    assert "in fail" in line["exception"]
    assert "7 characters" in line["exception"]
    assert "hunter2" not in stream.getvalue()


def test_other_libraries_lines_look_the_same(stream: io.StringIO) -> None:
    logger = logging.Logger("some.library")
    logger.addHandler(standard_handler(stream))
    logger.warning("slow: %s ms", 12)
    line = json.loads(stream.getvalue())
    assert (line["event"], line["level"]) == ("slow: 12 ms", "warning")
    assert line["timestamp"].endswith("Z")


def test_debug_messages_are_left_out(stream: io.StringIO) -> None:
    structlog.get_logger().debug("noise")
    assert stream.getvalue() == ""


def fail_over(key: str) -> None:
    raise ValueError(key)


KEY = "svc_" + "0123456789abcdef" * 4


@pytest.mark.parametrize("key", [KEY, KEY.upper(), KEY[:20], KEY + "0"])
def test_no_line_has_a_key_anywhere(stream: io.StringIO, key: str) -> None:
    logger = logging.Logger("some.library")
    logger.addHandler(standard_handler(stream))
    logger.warning("GET /x?key=%s", key)
    try:
        fail_over(key)
    except ValueError:
        logger.exception("went wrong")
        structlog.get_logger().exception(f"with {key}", path=f"/{key}/x", inner={"a": [key]})
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert lines[0]["event"] == "GET /x?key=svc_(not shown)"
    assert lines[2]["inner"] == {"a": ["svc_(not shown)"]}
    assert key[4:].lower() not in stream.getvalue().lower()
