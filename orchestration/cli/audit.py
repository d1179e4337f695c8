"""`tracker audit`: prints the audit log with the changes of each action."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import typer

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, print_json
from warehouse.operational.audit_reading import AuditFilters, AuditRecord, ChangeRecord, read_audit

LONGEST_VALUE = 60

Organization = Annotated[UUID | None, typer.Option(help="Actions by or on this organization.")]
User = Annotated[UUID | None, typer.Option(help="Actions of this user.")]
Key = Annotated[UUID | None, typer.Option(help="Actions with this API key.")]
Request = Annotated[str | None, typer.Option(help="Actions of the request with this id.")]
Action = Annotated[str | None, typer.Option(help="Kind of action, e.g. create_project.")]
EntityType = Annotated[str | None, typer.Option(help="Type of the changed entity, e.g. creator.")]
EntityId = Annotated[UUID | None, typer.Option(help="Id of the changed entity.")]
Since = Annotated[datetime | None, typer.Option(help="Earliest time (UTC).")]
Until = Annotated[datetime | None, typer.Option(help="Latest time (UTC), exclusive.")]
Limit = Annotated[int, typer.Option(help="Maximum number of actions.", min=1, max=10_000)]


def audit(  # noqa: PLR0917  options, each by its name
    organization: Organization = None,
    user: User = None,
    key: Key = None,
    request: Request = None,
    action: Action = None,
    entity_type: EntityType = None,
    entity_id: EntityId = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Print the audit log, newest first, with what each action changed.

    Times are UTC, by the real clock.

    Example: `tracker audit --entity-type api_key --since 2026-05-01`
    """
    filters = AuditFilters(
        organization_id=organization,
        user_id=user,
        api_key_id=key,
        request_id=request,
        action=action,
        entity_type=entity_type,
        entity_id=entity_id,
        since=_in_utc(since),
        until=_in_utc(until),
    )
    settings = settings_of_environment()
    with current_store(settings) as store, store.read_session() as session:
        records = read_audit(session, filters, limit=limit)
    if as_json:
        print_json([asdict(record) for record in records])
        return
    for record in records:
        for line in _lines(record):
            OUT.print(line, soft_wrap=True, markup=False, highlight=False)


def _in_utc(instant: datetime | None) -> datetime | None:
    return instant and instant.replace(tzinfo=UTC)


def _lines(record: AuditRecord) -> Iterator[str]:
    who = record.user_name or "(unknown user)"
    by_key = f" with key {record.api_key_name}" if record.api_key_name else ""
    named = "".join(f" {name}={value}" for name, value in record.ids.items())
    at = record.at.isoformat(sep=" ", timespec="seconds")
    yield f"{at}  {record.action}{named}  {who}{by_key} ({record.channel})"
    for change in record.changes:
        yield f"    {change.kind} {change.entity_type} {change.entity_id}{_fields(change)}"


def _fields(change: ChangeRecord) -> str:
    lines = (
        f"{name}: {_short(values['from'])} -> {_short(values['to'])}"
        for name, values in change.changes.items()
    )
    return "".join(f"\n        {line}" for line in lines)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."
