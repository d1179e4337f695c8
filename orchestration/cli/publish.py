"""`tracker publish`: computes and publishes, or repairs a publication after a move."""

from typing import Annotated

import typer

from orchestration.cli.opening import settings_of_environment, unreadable_publication
from orchestration.cli.output import OUT, CommandFailed, print_json, say
from orchestration.cli.run import AsJson, report, run_pipeline_job
from warehouse.publication.errors import NoPublication
from warehouse.settings import Settings


def publish(
    relocated: Annotated[
        bool, typer.Option("--relocate", help="Rewrite the publication's paths after a move.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Build the models from ingested data, and publish.

    Examples: `tracker publish`, or after moving TRACKER_HOME `tracker publish --relocate`
    """
    settings = settings_of_environment()
    if relocated:
        _relocate(settings, as_json=as_json)
    else:
        report(run_pipeline_job(settings, "recompute"), as_json=as_json)


def _relocate(settings: Settings, *, as_json: bool) -> None:
    import duckdb  # noqa: PLC0415  not for --help

    from warehouse.publication.relocate import relocate  # noqa: PLC0415  likewise

    try:
        published = relocate(settings, on_wait=lambda message: say(f"tracker: {message}"))
    except NoPublication as none:
        raise CommandFailed(f"{none}.") from none
    except (duckdb.Error, OSError) as error:
        raise unreadable_publication(error) from error
    if as_json:
        print_json(
            {
                "as_of": published.as_of,
                "publication_id": published.id,
                "publication_path": published.path,
            }
        )
    else:
        OUT.print(f"published   {published.path}", soft_wrap=True)
