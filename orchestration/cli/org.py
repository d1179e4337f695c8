"""`tracker org`: organizations as only the installation's owner can make them."""

from dataclasses import asdict
from typing import Annotated

import typer

from orchestration.cli.commands import SETTINGS
from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json
from warehouse.operational.audit import Deed, recorded
from warehouse.operational.organizations import NewOrganization, create_organization

app = typer.Typer(**SETTINGS)


@app.callback()
def organizations() -> None:
    """Organizations: the first admin and API key come from here."""


@app.command()
def create(  # noqa: PLR0917  options, each by its name
    name: Annotated[str, typer.Option(help="Name of the organization.")],
    plan: Annotated[str, typer.Option(help="free, starter or ultra.")] = "free",
    tz: Annotated[str, typer.Option(help="IANA zone of its days, e.g. Europe/Berlin.")] = "UTC",
    project: Annotated[str | None, typer.Option(help="Also create a project so named.")] = None,
    email: Annotated[str | None, typer.Option(help="The admin's e-mail address.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Create an organization with an admin and an API key, which is shown only now.

    Example: `tracker org create --name Acme --plan ultra --tz Europe/Berlin --project Launch`
    """
    settings = settings_of_environment()
    deed = Deed(channel="cli", action="org create", ids={})
    with current_store(settings) as store, store.write_session() as session:
        try:
            with recorded(session, lambda: deed):
                made = create_organization(
                    session,
                    name=name,
                    plan=plan,
                    analytics_tz=tz,
                    admin_email=email,
                    project_name=project,
                )
        except ValueError as refused:
            raise CommandFailed(f"{refused}.", exit_code=2) from refused
    if as_json:
        print_json(asdict(made))
    else:
        _show(made)


def _show(made: NewOrganization) -> None:
    for label, value in (
        ("organization_id", made.organization_id),
        ("user_id", made.user_id),
        ("project_id", made.project_id),
        ("api_key", made.api_key),
    ):
        OUT.print(f"{label:<16} {value if value is not None else '-'}", soft_wrap=True)
    OUT.print("[dim]Keep the API key: it is not shown again.[/dim]")
