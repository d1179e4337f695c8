"""Numbers in fields of the desk: parsed as meant, or refused with the expected format."""

from collections.abc import Callable, Mapping
from decimal import Decimal

import pytest

from serving_api.desk.forms import number_in
from serving_api.desk.rules.words import basis_points_in, cents_in, exact_cents_in, percent_in
from serving_api.errors import InvalidBody

Reader = Callable[[Mapping[str, str], str], int | Decimal | None]

POINT = "with a point as decimal separator"
SAYS: Mapping[Reader, str] = {
    number_in: "Enter a whole number (1000 or 1,000)",
    cents_in: f"Enter dollars {POINT} (1.50 or 1,000.00)",
    exact_cents_in: f"Enter dollars {POINT} (1.50 or 1,000.00)",
    percent_in: f"Enter a percentage {POINT} (12.5)",
    basis_points_in: f"Enter a percentage {POINT} (12.5)",
}
NO_NUMBERS = (
    "1,50",
    "1,5000",
    "1.000,00",
    "1.000.000",
    "1000,000",
    "0,500",
    ",500",
    "1,000,",
    "1,,000",
    "1, 000",
    "1.234,567",
    "1.5,000",
    "1'000",
    "1 000",
    "1\u00a0000",
    "1\u202f000",
    "1_000",
    "１００",  # noqa: RUF001 - digits that `isdecimal` accepts
    "1，000",  # noqa: RUF001 - a comma of full width
    "٣",
    "-5",
    "+5",
    "1e3",
    "Infinity",
    "1/2",
    ".5",
    "5.",
    ".",
    "many",
    "5 EUR",
    "1" * 19,
)


@pytest.mark.parametrize("written", NO_NUMBERS)
def test_what_could_mean_another_number_is_refused(written: str) -> None:
    for reader, message in SAYS.items():
        with pytest.raises(InvalidBody) as refused:
            reader({"field": written}, "field")
        assert refused.value.issues == [{"path": "field", "message": message}]


@pytest.mark.parametrize(
    ("reader", "written", "number"),
    [
        (number_in, "0", 0),
        (number_in, "1000", 1_000),
        (number_in, "1,000", 1_000),
        (number_in, " 12,345,678 ", 12_345_678),
        (number_in, "9" * 18, 10**18 - 1),
        (cents_in, "1.50", 150),
        (cents_in, "1.5", 150),
        (cents_in, "$1,250.50", 125_050),
        (cents_in, "$ 1250", 125_000),
        (cents_in, "1,000,000", 100_000_000),
        (cents_in, "0.07", 7),
        (cents_in, "9" * 12, (10**12 - 1) * 100),
        (exact_cents_in, "0.805", Decimal("80.5")),
        (exact_cents_in, "1,250.12345678", Decimal("125012.345678")),
        (percent_in, "12.5", Decimal("12.5")),
        (percent_in, "25 %", Decimal(25)),
        (basis_points_in, "10.5%", 1_050),
        (basis_points_in, "0.01", 1),
    ],
)
def test_commas_between_thousands_are_accepted(
    reader: Reader, written: str, number: int | Decimal
) -> None:
    assert reader({"field": written}, "field") == number


@pytest.mark.parametrize("reader", SAYS)
def test_an_empty_field_has_no_number(reader: Reader) -> None:
    assert [reader(fields, "field") for fields in ({}, {"field": ""}, {"field": "  "})] == [
        None
    ] * 3


@pytest.mark.parametrize(
    ("reader", "written"),
    [
        (number_in, "1.0"),
        (cents_in, "1.000"),
        (cents_in, "12.345"),
        (basis_points_in, "1.000"),
        (exact_cents_in, "0.000000001"),
        (percent_in, "0.000000001"),
    ],
)
def test_more_decimals_than_are_stored_are_refused(reader: Reader, written: str) -> None:
    """A point is a thousands separator in much of Europe, so 1.000 is not one dollar."""
    with pytest.raises(InvalidBody):
        reader({"field": written}, "field")
