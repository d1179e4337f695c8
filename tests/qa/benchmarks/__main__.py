"""`python -m tests.qa.benchmarks` runs the benchmarks, prints their figures and stores them."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from orchestration.cli.output import say


def main(
    names: Annotated[
        list[str] | None, typer.Argument(help="Suites, such as passes; all by default.")
    ] = None,
    scale: Annotated[float, typer.Option(help="Share of 20,000 posts and 500 creators.")] = 1.0,
    folder: Annotated[
        Path | None, typer.Option(help="Where to make the histories: needs 60 GB at scale 1.")
    ] = None,
) -> None:
    """Measure speed and memory, as ratios within one run. Scale 1 takes over an hour.

    Needs the development tools: `make install`.
    """
    # Suites need development tools; `--help` does not.
    try:
        from tests.qa.benchmarks.report import Figure, keep, show  # noqa: PLC0415
        from tests.qa.benchmarks.suites import SUITES  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        say(f"{missing.name} is not installed: run `make install`.")
        raise typer.Exit(2) from missing
    if unknown := sorted(set(names or ()) - SUITES.keys()):
        raise typer.BadParameter(f"{', '.join(unknown)}: use {', '.join(SUITES)}")
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    figures: list[Figure] = []
    for name in names or SUITES:
        say(f"Suite {name}")
        measured: list[Figure] = []
        with TemporaryDirectory(prefix="benchmark-", dir=folder) as made:
            Path(made).chmod(0o711)  # PostgreSQL's own user passes through
            for figure in SUITES[name](Path(made), scale):
                typer.echo(": ".join(figure.row))
                measured.append(figure)
        typer.echo(f"{name}: kept in {keep(measured, scale)}")
        figures += measured
    show(figures, scale)
    raise typer.Exit(0 if all(figure.is_met for figure in figures) else 1)


if __name__ == "__main__":
    typer.run(main)
