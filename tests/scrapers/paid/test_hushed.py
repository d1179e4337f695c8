"""Secrets stay out of httpx's log lines while other blocks start and stop masking theirs."""

import logging
from contextlib import ExitStack

import pytest

from scrapers.paid.client import hushed

LOG = logging.getLogger("httpx")


class InterruptedUrl:
    """A URL during whose formatting another thread stops masking."""

    def __init__(self, other: ExitStack) -> None:
        self.other = other

    def __str__(self) -> str:
        self.other.close()
        return "https://host.example/?token=invented+two"


def test_a_block_that_ends_while_a_line_is_written_unmasks_no_other_secret(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    with ExitStack() as other:
        other.enter_context(hushed("invented+one"))
        with hushed("invented+two"):
            LOG.info("HTTP Request: GET %s", InterruptedUrl(other))
    assert caplog.messages == ["HTTP Request: GET https://host.example/?token=(secret)"]


def test_a_secret_that_two_blocks_mask_is_masked_until_both_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    with hushed("invented+one"):
        with hushed("invented+one"):
            LOG.info("invented+one")
        LOG.info("invented%%2Bone %s", "")
    LOG.info("invented+one")
    assert caplog.messages == ["(secret)", "(secret) ", "invented+one"]
