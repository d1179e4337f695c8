"""`tracker org` and `tracker user`: what only the installation's owner can change."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated
from uuid import UUID

import typer
from pydantic import TypeAdapter, ValidationError

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json
from orchestration.cli.run import AsJson
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.operational.organizations import (
    NewOrganization,
    create_organization,
    organization_named,
)
from warehouse.operational.session import WriteSession
from warehouse.operational.users import (
    UnnamedUserError,
    make_platform_admin,
    revoke_platform_admin,
    set_password,
)
from warehouse.settings import Settings


def create(  # noqa: PLR0917  options, each by its name
    name: Annotated[str, typer.Option(help="Name of the organization.")],
    plan: Annotated[str, typer.Option(help="free, starter or ultra.")] = "free",
    tz: Annotated[
        str, typer.Option(help="IANA time zone of its days, e.g. Europe/Berlin.")
    ] = "UTC",
    project: Annotated[
        str | None, typer.Option(help="Also create a project with this name.")
    ] = None,
    email: Annotated[
        str | None,
        typer.Option(help="The admin's e-mail address; prints a link to set a password."),
    ] = None,
    existing: Annotated[
        UUID | None, typer.Option(help="Id of the existing user with this address.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create an organization with an admin and an API key, which is shown only once.

    Example: `tracker org create --name Acme --plan ultra --tz Europe/Berlin --project Launch`
    """
    # Other commands start without loading the API.
    from serving_api.resources.organization.invitations.service import invite_first_admin  # noqa: PLC0415

    email = None if email is None else _address(email)
    settings = settings_of_environment()
    token: str | None = None
    with _audited(settings, "org create") as session:
        if namesake := organization_named(session, name):
            raise CommandFailed(
                f"organization {namesake} has the name {name!r}.",
                "Choose another --name. For a key of that one, sign in after `tracker user"
                " set-password`.",
                exit_code=2,
            )
        made = create_organization(
            session,
            name=name,
            plan=plan,
            analytics_tz=tz,
            admin_email=email,
            existing=existing,
            project_name=project,
        )
        if email and not existing:
            token = invite_first_admin(session, made.organization_id, made.user_id)
    link = f"{settings.base_url}/invitations/{token}" if token else None
    if as_json:
        print_json(asdict(made) | ({"invitation_url": link} if link else {}))
    else:
        _show(made, link)


def _address(text: str) -> str:
    """Return an e-mail address as the API takes it. Raises CommandFailed."""
    from serving_api.resources.organization.members.schemas import Email  # noqa: PLC0415  as above

    try:
        address: str = TypeAdapter(Email).validate_python(text)
    except ValidationError as invalid:
        raise CommandFailed(f"--email: {text!r} is not an address.", exit_code=2) from invalid
    return address


def _show(made: NewOrganization, link: str | None) -> None:
    for label, value in (
        ("organization_id", made.organization_id),
        ("user_id", made.user_id),
        ("project_id", made.project_id),
        ("api_key", made.api_key),
        *([("invitation_url", link)] if link else []),
    ):
        OUT.print(f"{label:<16} {value if value is not None else '-'}", soft_wrap=True)
    OUT.print("[dim]Save the API key: it is not shown again.[/dim]")
    if link:
        OUT.print("[dim]The admin sets a password at invitation_url within 7 days.[/dim]")


def platform_admin(
    email: Annotated[str, typer.Argument(help="The user's e-mail address.")],
    existing: Annotated[UUID | None, typer.Option(help="Id of the user with this address.")] = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Remove the right.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let a user call /api/v2/admin with keys of their own.

    Without `--existing` it prints which user has the address, who created it and when.

    Example: `tracker user platform-admin ops@example.com --existing USER_ID`
    """
    with _audited(settings_of_environment(), "user platform-admin") as session:
        if revoke:
            user = revoke_platform_admin(session, email)
        else:
            user = make_platform_admin(session, email, existing)
    if as_json:
        print_json({"user_id": user.id, "is_platform_admin": user.is_platform_admin})
    else:
        status = "is a platform admin" if user.is_platform_admin else "is not a platform admin"
        OUT.print(f"{user.email} {status}.", soft_wrap=True, markup=False)


def set_password_of(
    email: Annotated[str, typer.Argument(help="The user's e-mail address.")],
    as_json: AsJson = False,
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
    with _audited(settings_of_environment(), "user set-password") as session:
        user = set_password(session, email, hash_password(password))
    if as_json:
        print_json({"user_id": user.id})
    else:
        OUT.print(f"Password of {user.email} changed.", soft_wrap=True, markup=False)


@contextmanager
def _audited(settings: Settings, action: str) -> Iterator[WriteSession]:
    """Yield a session whose changes are recorded. Raises CommandFailed if one is refused."""
    audit_event = AuditEvent(channel="cli", action=action, ids={})
    with current_store(settings) as store, store.write_session() as session:
        try:
            with recorded(session, lambda: audit_event):
                yield session
        except UnnamedUserError as unnamed:
            hint = f"If you mean this user, repeat with `--existing {unnamed.user_id}`."
            raise CommandFailed(f"{unnamed}.", hint, exit_code=2) from unnamed
        except ValueError as refused:
            raise CommandFailed(f"{refused}.", exit_code=2) from refused


def _read_password() -> str:
    """Read the password from stdin, never from an argument, which other users can read."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    return password
