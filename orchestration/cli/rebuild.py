"""`tracker rebuild`: rebuilds the warehouse from the archive."""

from dataclasses import asdict

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, CommandFailed, print_json
from orchestration.cli.progress import ProgressDisplay
from orchestration.cli.run import AsJson
from orchestration.running.progress import PipelineFailed


def rebuild(as_json: AsJson = False) -> None:
    """Rebuild the warehouse from the archive of ingested batches, compute everything, publish.

    Use it if the warehouse file is lost or damaged. It publishes the same numbers as before. The
    new file replaces the old one once it is complete, so it needs the disk space of both.

    Examples: `tracker rebuild` or `tracker rebuild --json`
    """
    # dbt takes seconds to load; other commands do not load it.
    from orchestration.running.rebuild import rebuild as make_anew  # noqa: PLC0415

    settings = settings_of_environment()
    with current_store(settings) as store, ProgressDisplay() as display:
        try:
            result = make_anew(settings, store, on_progress=display)
        except PipelineFailed as failed:
            raise CommandFailed(
                f"{failed}.", "The warehouse and the last publication are unchanged."
            ) from failed
    if as_json:
        print_json(asdict(result))
        return
    OUT.print(f"batches     {result.batches:,}")
    OUT.print(f"as of       {result.as_of.isoformat()}")
    OUT.print(f"published   {result.publication_path}", soft_wrap=True)
