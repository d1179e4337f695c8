"""Every order is total: it ends with a unique column, so that pages never repeat or skip rows.

Otherwise rows with an equal instant or count would come in a random order on each page. The orders
are parsed from SQL and SQLAlchemy code, so lists that are added later are checked too.
"""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest
from sqlalchemy.orm import InstrumentedAttribute

import serving_api
from serving_api.kit.pagination import Keyset
from warehouse.operational import models
from warehouse.reading.comments.listing import ORDERS
from warehouse.settings import REPOSITORY

FOLDERS = ("serving_api", "warehouse/reading")

CLAUSE = re.compile(
    r"\border by\s+((?:\([^()]*\)|[^()\n])+?)\s*(?=\)|\blimit\b|\boffset\b|\n|$)", re.IGNORECASE
)
DIRECTION = re.compile(r"\s+(asc|desc|nulls (first|last))\b", re.IGNORECASE)

ROWS = (
    *("accrual_id", "anomaly_id", "campaign_id", "comment_id", "creator_id", "entity_id"),
    *("goal_id", "video_id"),
)
ONE_OF_EACH = {
    **dict.fromkeys(ROWS, "the rows are these"),
    "account_id": "the rows are accounts",
    "bucket_start": "the rows are buckets",
    "captured_at": "an account's readings are one an instant",
    "day": "the rows are days of one entity",
    "is_current": "the rows are two windows",
    "language": "the rows are languages",
    "member": "the rows are members",
    "number": "each part that is asked about has its own",
    "outcome": "the rows are outcomes of one platform",
    "period": "a goal has one of each length that begins on a day",
    "position": "positions of one list",
    "project_id": "the rows are a member's projects",
    "rank": "row numbers",
    "rowid": "the rows are tools",
    "sort_id": "an annotation's own id, or that of the row that an automatic one tells of",
    "value": "the order gives ranks, and ties have one rank",
}
"""The last columns of orders in SQL, and why they are unique."""

OTHERS = {
    "placed.c.position": "places of each type of document, all of which are answered",
    "documents.c.id": "documents of one type",
    "present.c.goal_id": "one state of each goal",
    "_ROWS.c.external_id": "one statement's rows, of which each id is one",
    "AccountDeactivation.deactivated_at": "an account begins one stretch at an instant",
    "PayoutStructure.name": "distinct names of a creator's rules",
    "PayoutAssignment.creator_id": "one group for each creator",
    "PayoutVersion.number": "versions of one structure",
    "OrganizationZone.valid_from": "zones of one organization",
    "GoalState.valid_from": "states of one goal",
    "WebhookEvent.sequence": "events in the order of their commits, numbered by a sequence",
    "Tag.name_key": "tags of one type of item",
    "kind.id": "a campaign's budgets or reports, by their key",
    "ShareLink.creator_id": "a creator has one link",
    "Video.creator_id": "one number of posts for each creator",
}
"""The last columns of orders in SQLAlchemy that are not primary keys, and why they are unique."""


class Order(NamedTuple):
    """Where an order is written, and its last column."""

    at: str
    last: str


def sources() -> Iterator[tuple[str, ast.AST]]:
    for folder in FOLDERS:
        for path in sorted((REPOSITORY / folder).rglob("*.py")):
            yield str(path.relative_to(REPOSITORY)), ast.parse(path.read_text())


@cache
def orders_in_sql() -> list[Order]:
    return [
        Order(f"{path}:{line}", last_of(clause))
        for path, line, text in queries()
        for clause in CLAUSE.findall(text)
    ]


def queries() -> Iterator[tuple[str, int, str]]:
    """Possible SQL with its location: every string of a module, and every SQL file."""
    for path, tree in sources():
        for line, text in texts(tree):
            yield path, line, text
    for folder in FOLDERS:
        for file in sorted((REPOSITORY / folder).rglob("*.sql")):
            yield str(file.relative_to(REPOSITORY)), 1, file.read_text()


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string of a module; values of f-strings stay in braces."""
    pieces: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            pieces.update(node.values)
            yield node.lineno, ast.unparse(node)[2:-1].replace("\\n", "\n")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in pieces:
            yield node.lineno, node.value


def last_of(clause: str) -> str:
    """The last column of an `order by`, without its table and direction."""
    return DIRECTION.sub("", clause).split(",")[-1].strip().rpartition(".")[2]


@cache
def orders_in_sqlalchemy() -> list[Order]:
    return [
        Order(f"{path}:{node.lineno}", re.sub(r"\.(desc|asc|collate)\(.*", "", ast.unparse(last)))
        for path, tree in sources()
        for node in ast.walk(tree)
        if (last := ordered_last(node)) is not None
    ]


def ordered_last(node: ast.AST) -> ast.expr | None:
    """The last column of an order, if the node is one."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "order_by":
        return node.args[-1] if not isinstance(node.args[-1], ast.Starred) else None
    if isinstance(node, ast.keyword) and node.arg == "order_by":
        return node.value.elts[-1] if isinstance(node.value, ast.Tuple) else node.value
    return None


@pytest.mark.slow
def test_orders_in_sql_are_total() -> None:
    assert [order for order in orders_in_sql() if not is_total_in_sql(order)] == []


def is_total_in_sql(order: Order) -> bool:
    clauses = ORDERS.values() if order.last == "{order}" else [order.last]
    return {last_of(clause) for clause in clauses} <= ONE_OF_EACH.keys()


@pytest.mark.slow
def test_orders_in_sqlalchemy_are_total() -> None:
    assert [order for order in orders_in_sqlalchemy() if not is_total(order)] == []


def is_total(order: Order) -> bool:
    model, _, name = order.last.removeprefix("models.").partition(".")
    return f"{model}.{name}" in OTHERS or is_key(getattr(getattr(models, model), name))


def is_key(attribute: InstrumentedAttribute[object]) -> bool:
    table = attribute.class_.__table__
    return [column.name for column in table.primary_key] == [attribute.key]


@cache
def keysets() -> dict[str, Keyset]:
    """The keysets of all modules, by their listing."""
    keysets = {}
    for module in pkgutil.walk_packages(serving_api.__path__, "serving_api."):
        for _, each in inspect.getmembers(importlib.import_module(module.name)):
            if isinstance(each, Keyset):
                keysets[each.listing] = each
    return keysets


def test_keysets_are_total() -> None:
    """Each ends with the primary key; a list has one value of a compound key's other column."""
    partial = {
        keyset.listing
        for keyset in keysets().values()
        if {column.name for column in keyset.id.class_.__table__.primary_key}
        - {"organization_id", "endpoint_id"}
        != {keyset.id.key}
    }
    assert partial == set()


def test_orders_are_found() -> None:
    assert len(orders_in_sql()) > 20
    assert len(orders_in_sqlalchemy()) > 20
    assert len(keysets()) > 15
