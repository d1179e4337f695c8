"""`tracker shard`: which worker computes which organizations."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated
from uuid import UUID

import typer
from sqlalchemy import select

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json
from orchestration.cli.run import AsJson
from warehouse.operational.models import Organization, Shard
from warehouse.operational.session import WriteSession
from warehouse.shards.assigning import (
    Move,
    NotAssignableError,
    add_shard,
    carry_out,
    planned_move,
    remove_shard,
    require_shard,
)
from warehouse.shards.weighing import ShardStatus, balancing, shard_statuses, splitting, weigh

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only print what would move.")]
LONGEST_LINE = 200
"""Width of a list: a narrow terminal wraps lines, but no column is cut."""
HEADINGS = ("shard", "organizations", "projects", "posts", "arriving", "behind", "as of", "builder")


def list_shards(as_json: AsJson = False) -> None:
    """List the shards: members, batches behind, last publication, builder.

    Example: `tracker shard list --json`
    """
    settings = settings_of_environment()
    with current_store(settings) as store, store.read_session() as session:
        shards = shard_statuses(settings, session)
    if as_json:
        print_json([asdict(each) for each in shards])
    elif shards:
        _show(shards)
    else:
        OUT.print("No shards: one worker computes all organizations.", soft_wrap=True)


def add(name: Annotated[str, typer.Argument(help="Name of a-z, 0-9 and -, e.g. eu-2.")]) -> None:
    """Add an empty shard. Organizations in no other shard are in `main`.

    `tracker up` computes it, or `tracker run` with TRACKER_SHARD set to its name.

    Example: `tracker shard add eu-2`
    """
    with _changing() as session:
        add_shard(session, name)
    OUT.print(
        f"Added {name}. `tracker up` or `TRACKER_SHARD={name} tracker run` computes it.",
        soft_wrap=True,
    )


def move(
    to: Annotated[str, typer.Argument(help="Target shard.")],
    organization: Annotated[UUID, typer.Option(help="Id of the organization to move.")],
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Move an organization to a shard.

    The old shard serves it until the new one has published it.

    Example: `tracker shard move eu-2 --organization 01975f40-5a3c-7000-8000-3f1d2a4b5c6d`
    """
    with _changing(dry_run=dry_run) as session:
        if session.get(Organization, organization) is None:
            raise CommandFailed(f"no organization has the id {organization}.", exit_code=2)
        moves = [planned_move(session, organization, to)]
        carry_out(session, moves)
    _print_moves(moves, dry_run=dry_run, as_json=as_json)


def split(
    shard: Annotated[str, typer.Argument(help="Shard to split.")],
    into: Annotated[str, typer.Argument(help="Shard that gets half; created if missing.")],
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Move about half of a shard, by number of posts, to another shard.

    Example: `tracker shard split main eu-2 --dry-run`
    """
    with _changing(dry_run=dry_run) as session:
        require_shard(session, shard)
        moves = splitting(weigh(session), shard, into)
        if session.get(Shard, into) is None:
            add_shard(session, into)
        carry_out(session, moves)
    _print_moves(moves, dry_run=dry_run, as_json=as_json)


def balance(dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Move members so that all shards have about the same number of posts.

    Example: `tracker shard balance --dry-run`
    """
    with _changing(dry_run=dry_run) as session:
        names = session.scalars(select(Shard.name)).all()
        moves = balancing(weigh(session), names) if names else []
        carry_out(session, moves)
    _print_moves(moves, dry_run=dry_run, as_json=as_json)


def remove(name: Annotated[str, typer.Argument(help="Shard without members.")]) -> None:
    """Remove an empty shard. Without shards one worker computes everything.

    Example: `tracker shard remove eu-2`
    """
    settings = settings_of_environment()
    with _changing() as session:
        remove_shard(session, name)
    OUT.print(
        f"Removed {name}. Delete {settings.of_shard(name).shard_path} where it was computed.",
        soft_wrap=True,
        markup=False,
    )


@contextmanager
def _changing(*, dry_run: bool = False) -> Iterator[WriteSession]:
    """Yield a session that commits at the end, or rolls back if `dry_run`.

    Raises CommandFailed if a change is not possible.
    """
    with current_store(settings_of_environment()) as store, store.write_session() as session:
        try:
            yield session
        except NotAssignableError as refused:
            raise CommandFailed(f"{refused}.", exit_code=2) from refused
        if dry_run:
            session.rollback()


def _print_moves(moves: Sequence[Move], *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        print_json([asdict(each) for each in moves])
        return
    for each in moves:
        verb = "would move" if dry_run else "moves"
        OUT.print(
            f"organization {each.organization_id} {verb} from {each.giver} to {each.receiver}",
            soft_wrap=True,
            highlight=False,
        )
    if not moves:
        OUT.print("Nothing to move.")


def _show(shards: Sequence[ShardStatus]) -> None:
    from rich.table import Table  # noqa: PLC0415  only this command needs it

    table = Table(box=None)
    for heading in HEADINGS:
        table.add_column(heading, no_wrap=True)
    for each in shards:
        columns = (each.shard, each.organizations, each.projects, each.posts, each.arriving)
        table.add_row(
            *map(str, columns), str(each.behind), str(each.as_of or "-"), each.builder or "-"
        )
    wide = OUT.options.update(width=LONGEST_LINE)
    for line in OUT.render_lines(table, wide, pad=False):
        OUT.print("".join(part.text for part in line).rstrip(), soft_wrap=True, highlight=False)
