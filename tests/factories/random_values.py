"""Random values for the columns of any table, and SQL that drops the constraints against them."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb
from sqlalchemy import ARRAY, Column, Integer

NO_CHECKS = """
    do $$
    declare found record;
    begin
        for found in
            select conrelid::regclass as relation, conname from pg_constraint
            where contype in ('c', 'f') and connamespace = 'public'::regnamespace
            order by contype desc
        loop
            execute format('alter table %s drop constraint %I', found.relation, found.conname);
        end loop;
    end $$
"""
"""Drops check and foreign key constraints: each column's value is random."""
ZONES = {"analytics_tz", "timezone"}


def value_of(random: Random, column: Column[Any]) -> Any:
    if column.nullable and random.random() < 0.3:
        return None
    if column.name in ZONES:
        return random.choice(("UTC", "Europe/Berlin"))
    values: dict[type, Any] = {
        UUID: UUID(int=random.getrandbits(128)),
        str: f"{random.getrandbits(64):x}",
        int: random.randrange(1000),
        bool: random.random() < 0.5,
        bytes: random.randbytes(8),
        datetime: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=random.randrange(10**7)),
        date: date(2026, 1, 1) + timedelta(days=random.randrange(300)),
        Decimal: Decimal(random.randrange(10**9)) / 1000,
        list: [random.randrange(9) if _holds_integers(column) else random.choice("abc")],
        object: Jsonb({"some": random.randrange(10)}),
    }
    return values[column.type.as_generic().python_type]


def _holds_integers(column: Column[Any]) -> bool:
    return isinstance(column.type, ARRAY) and isinstance(column.type.item_type, Integer)
