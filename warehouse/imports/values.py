"""Parses and checks the texts of a file, by an interface for spellings of handles and posts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import polars as pl

from warehouse.imports.layouts import COLUMNS, LARGEST_COUNT, counts_of
from warehouse.imports.report import Problem
from warehouse.landing.schema import UTC
from warehouse.platforms import PLATFORM_BEGAN, PLATFORM_NAMES, PLATFORMS


class Spelling(Protocol):
    """Converts texts of files to the registry's spelling."""

    def handle(self, platform: str, text: str) -> str:
        """Return the handle in lower case. Raises ValueError if it is invalid."""
        ...

    def post_id(self, platform: str, text: str) -> str:
        """Return the platform_video_id (digits). Raises ValueError if the text names no post."""
        ...

    def post_url(self, platform: str, platform_video_id: str, handle: str) -> str: ...

    def made_at(self, platform: str, platform_video_id: str) -> datetime | None:
        """Return the time inside a post's id; None if it has none."""
        ...


AS_TEXT = r"""^(?:="([^"]*)"|'(.*))$"""
"""`="7001"` and `'7001` keep a spreadsheet from rounding."""

EXPECTED = {
    "handle": "handle on this platform: give the handle, or the profile's link",
    "platform_video_id": (
        "post on this platform: give its id or its whole link; short links are not followed"
    ),
}
SCIENTIFIC = r"(?i)^[0-9][.,]?[0-9]*e[+]?[0-9]+$"
ZEROS = r"^[0-9]{15}[0-9]*0000$"
"""Spreadsheets keep 15 digits. One id in 10,000 ends so by itself."""
ROUNDED = "rounded by a spreadsheet: format the column as text in the source, or give links"
UNKNOWN = r"(?i)^(nan|n/?a|null|none|undefined|unknown|[-\u2013\u2014?]+)$"
WHOLE_NUMBER = r"^-?[0-9]+$"
POINT_ZERO = r"^(-?[0-9]+)\.0{1,2}$"
"""`1234.0`, as spreadsheets and pandas write whole numbers. `12.000` may stand for 12,000."""
SEPARATED = r"^[0-9]{1,3}([ .,'\u2019\u00a0\u202f][0-9]{3})+$"
SHORTENED = r"(?i)^[0-9][0-9.,]* ?(k|m|mn|b|bn|tsd|mil|mio|mrd)\.?$"
LONGEST_NUMBER = 18
"""This many digits fit into 64 bits and exceed LARGEST_COUNT."""

DATE_AND_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-5][0-9](\.[0-9]{1,9})?)?"
OFFSET = r" ?(Z|z|[+-][0-9]{2}(:?[0-9]{2})?)$"
AS_WRITTEN = "%Y-%m-%dT%H:%M:%SZ"
ISO_8601 = "%Y-%m-%dT%H:%M:%S%.f%:z"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that rejects rows where `broken` holds, naming `column` and `reason`.

    An expression is a reason that differs by row.
    """

    column: str | None
    broken: pl.Expr
    reason: str | pl.Expr


def plain(column: str) -> pl.Expr:
    """Return a column's text without blanks around it and a spreadsheet's marks of text."""
    if column == "caption":
        return pl.col(column).replace("", None)
    text = pl.col(column).str.strip_chars().str.replace(AS_TEXT, "${1}${2}").str.strip_chars()
    if column.endswith("_count") or column == "platform_video_id":
        text = text.str.replace(POINT_ZERO, "${1}")
    return (text.str.to_lowercase() if column == "platform" else text).replace("", None)


def meant(rows: pl.DataFrame, kind: str, spelling: Spelling) -> pl.DataFrame:
    """Return `line` and the parsed values of a chunk, null if invalid.

    Counts are Int64 (null: unknown), instants UTC, handles and post ids in the registry's
    spelling.
    """
    values = rows.select("line", *(_meant(column) for column in COLUMNS[kind]))
    for column, spell in (("platform_video_id", spelling.post_id), ("handle", spelling.handle)):
        if column in values.columns:
            values = _spelled(values, column, spell)
    return values


def refuse(
    rows: pl.DataFrame, values: pl.DataFrame, rules: Sequence[Rule]
) -> tuple[pl.DataFrame, list[Problem]]:
    """Split the values into good ones and the first problem of each other row.

    `rows` are the same rows as text; a rule may refer to them as `text_<column>`.
    """
    texts = rows.select(pl.all().exclude("line").name.prefix("text_"))
    beside = pl.concat([values, texts], how="horizontal")
    broken = [pl.when(rule.broken).then(pl.lit(number)) for number, rule in enumerate(rules)]
    reasons = [
        pl.when(rule.broken).then(
            pl.lit(rule.reason) if isinstance(rule.reason, str) else rule.reason
        )
        for rule in rules
    ]
    parted = beside.with_columns(broken=pl.coalesce(*broken), reason=pl.coalesce(*reasons))
    good = parted.filter(pl.col("broken").is_null()).select(values.columns)
    bad = parted.filter(pl.col("broken").is_not_null())
    bad = bad.select("line", "broken", "reason", r"^text_.*$")
    return good, [_problem(row, rules[row["broken"]].column) for row in bad.iter_rows(named=True)]


def value_rules(kind: str, now: datetime) -> list[Rule]:
    """Return the rules of a kind of file. `now` (business time) is the latest allowed instant."""
    rules = [rule for column in COLUMNS[kind] for rule in _column_rules(column, now)]
    if counts := counts_of(kind):
        nothing = pl.all_horizontal(pl.col(f"text_{count}").is_null() for count in counts)
        rules.append(Rule(None, nothing, "has no counts"))
    return rules


def _problem(row: dict[str, Any], column: str | None) -> Problem:
    value = row[f"text_{column}"] if column else None
    return Problem(row["line"], column, value and value[:80], row["reason"])


def _meant(column: str) -> pl.Expr:
    text = pl.col(column)
    if column.endswith("_count"):
        return text.str.to_integer(strict=False, dtype=pl.Int64)
    if column.endswith("_at"):
        return _instant(text)
    return text


def _instant(text: pl.Expr) -> pl.Expr:
    """Normalize ISO 8601 as people write it to the form that polars parses."""
    complete = (
        text.str.replace("^(.{10}) ", "${1}T")
        .str.replace(" ?[Zz]$", "+00:00")
        .str.replace(r" ?([+-]\d\d)$", "${1}:00")
        .str.replace(r" ?([+-]\d\d):?(\d\d)$", "${1}:${2}")
        .str.replace(r"T(\d\d:\d\d)([+-])", "T${1}:00${2}")
    )
    is_instant = text.str.contains(DATE_AND_TIME + OFFSET)
    return (
        pl.when(is_instant)
        .then(complete)
        .str.to_datetime(ISO_8601, time_unit="us", strict=False)
        .alias(text.meta.output_name())
    )


def _spelled(rows: pl.DataFrame, column: str, spell: Callable[[str, str], str]) -> pl.DataFrame:
    """Replace a column by the registry's spelling, null if invalid."""
    texts = rows.filter(pl.col("platform").is_in(PLATFORMS)).select("platform", column)
    distinct = texts.drop_nulls().unique()
    spelled = [_spelling_of(spell, platform, text) for platform, text in distinct.iter_rows()]
    known = distinct.with_columns(spelled=pl.Series(spelled, dtype=pl.String))
    joined = rows.join(known, on=["platform", column], how="left", maintain_order="left")
    return joined.with_columns(pl.col("spelled").alias(column)).drop("spelled")


def _spelling_of(spell: Callable[[str, str], str], platform: str, text: str) -> str | None:
    try:
        return spell(platform, text)
    except ValueError:
        return None


def _column_rules(column: str, now: datetime) -> Iterator[Rule]:
    text, value = pl.col(f"text_{column}"), pl.col(column)
    if column.endswith("_count"):
        yield from _count_rules(column, text, value)
    elif column == "caption":
        yield Rule(column, text.str.contains("\x00", literal=True), "contains a NUL character")
    else:
        yield Rule(column, text.is_null(), "is missing")
        if column.endswith("_at"):
            yield from _instant_rules(column, text, value, now)
        elif column == "platform":
            yield Rule(column, ~text.is_in(PLATFORMS), f"is not one of {', '.join(PLATFORMS)}")
        else:
            rounded = value.is_null() & text.str.contains(SCIENTIFIC)
            yield Rule(column, rounded, f"was {ROUNDED}")
            yield Rule(column, value.is_null(), f"is not a {EXPECTED[column]}")


def _count_rules(column: str, text: pl.Expr, value: pl.Expr) -> Iterator[Rule]:
    yield Rule(column, text.str.contains(UNKNOWN), "is not a number: leave unknown counts empty")
    shortened = "is rounded: give the exact count, or leave it empty"
    yield Rule(column, text.str.contains(SHORTENED), shortened)
    yield Rule(column, text.str.contains(SCIENTIFIC), "was rounded: give the exact count")
    separated = "is not a whole number: write it without separators"
    yield Rule(column, text.str.contains(SEPARATED), separated)
    yield Rule(column, ~text.str.contains(WHOLE_NUMBER), "is not a whole number")
    yield Rule(column, text.str.starts_with("-"), "is negative")
    too_long = text.str.len_chars() > LONGEST_NUMBER
    yield Rule(column, too_long | (value > LARGEST_COUNT), f"is more than {LARGEST_COUNT}")


def _instant_rules(column: str, text: pl.Expr, value: pl.Expr, now: datetime) -> Iterator[Rule]:
    without_offset = text.str.contains(DATE_AND_TIME + "$")
    yield Rule(column, without_offset, "has no UTC offset: write 2026-03-01T06:00:00Z")
    yield Rule(column, value.is_null(), "is not a date and time: write 2026-03-01T06:00:00Z")
    began = pl.col("platform").replace_strict(PLATFORM_BEGAN, default=None, return_dtype=UTC)
    yield Rule(column, *before(value, began, pl.col("platform").replace(PLATFORM_NAMES), "began"))
    present = now.strftime(AS_WRITTEN)
    yield Rule(column, value > now, f"is in the future: it is {present}")


def before(value: pl.Expr, earliest: pl.Expr, *what: str | pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Return whether an instant is before another, and the reason with that one."""
    words = [pl.lit(word) if isinstance(word, str) else word for word in what]
    since = earliest.dt.to_string(AS_WRITTEN)
    reason = pl.concat_str([pl.lit("is before"), *words, pl.lit("at"), since], separator=" ")
    return value < earliest, reason
