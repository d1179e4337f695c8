"""`tracker user`: changes to users that only the installation's owner can make."""

import sys
from typing import Annotated
from uuid import UUID

import typer

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.operational.users import (
    UnknownUserError,
    UnnamedUserError,
    make_platform_admin,
    revoke_platform_admin,
    set_password,
)


def platform_admin(
    email: Annotated[str, typer.Argument(help="The user's e-mail address.")],
    existing: Annotated[UUID | None, typer.Option(help="Id of the user with this address.")] = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Remove the right.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Let a user call /api/v2/admin with keys of their own.

    Without `--existing` it prints which user has the address, who created it and when.

    Example: `tracker user platform-admin ops@example.com --existing USER_ID`
    """
    audit_event = AuditEvent(channel="cli", action="user platform-admin", ids={})
    settings = settings_of_environment()
    with current_store(settings) as store, store.write_session() as session:
        try:
            with recorded(session, lambda: audit_event):
                if revoke:
                    user = revoke_platform_admin(session, email)
                else:
                    user = make_platform_admin(session, email, existing)
        except UnnamedUserError as unnamed:
            raise unnamed_user(unnamed) from unnamed
        except UnknownUserError as unknown:
            raise CommandFailed(f"{unknown}.", exit_code=2) from unknown
    if as_json:
        print_json({"user_id": user.id, "is_platform_admin": user.is_platform_admin})
    else:
        status = "is a platform admin" if user.is_platform_admin else "is not a platform admin"
        OUT.print(f"{user.email} {status}.", soft_wrap=True, markup=False)


def set_password_of(
    email: Annotated[str, typer.Argument(help="The user's e-mail address.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Set a user's password, typed twice, or read as one line from standard input.

    The user must reconnect programs and add passkeys again.

    Example: `tracker user set-password ops@example.com`
    """
    # Other commands start without loading the API.
    from serving_api.passwords import hash_password, problem_of  # noqa: PLC0415

    password = _read_password()
    if problem := problem_of(password):
        raise CommandFailed(f"Choose another password: {problem}.", exit_code=2)
    audit_event = AuditEvent(channel="cli", action="user set-password", ids={})
    settings = settings_of_environment()
    with current_store(settings) as store, store.write_session() as session:
        try:
            with recorded(session, lambda: audit_event):
                user = set_password(session, email, hash_password(password))
        except UnknownUserError as unknown:
            raise CommandFailed(f"{unknown}.", exit_code=2) from unknown
    if as_json:
        print_json({"user_id": user.id})
    else:
        OUT.print(f"Password of {user.email} changed.", soft_wrap=True, markup=False)


def unnamed_user(unnamed: UnnamedUserError) -> CommandFailed:
    """Return the error of a command that would give an existing user more rights."""
    hint = f"If you mean this user, repeat with `--existing {unnamed.user_id}`."
    return CommandFailed(f"{unnamed}.", hint, exit_code=2)


def _read_password() -> str:
    """Read the password from stdin, never from an argument, which other users can read."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    return password
