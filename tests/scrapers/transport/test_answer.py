"""The Retry-After header in all its formats."""

import httpx
import pytest

from scrapers.transport.answer import retry_after


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("120", 120.0),
        ("9" * 400, float("inf")),
        ("Mon, 01 Jan 2001 00:00:00 GMT", 0.0),
        ("Mon, 01 Jan 2001 00:00:00", 0.0),
        ("Mon, 01 Jan 99999999999 00:00:00 GMT", None),
        ("Mon, 01 Jan 2026 00:00:00 +999999999999999999999", None),
        ("-3", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
    ],
)
def test_any_form_of_retry_after_is_read_or_passed_over(value: str, seconds: float | None) -> None:
    assert retry_after(httpx.Response(429, headers={"Retry-After": value})) == seconds
