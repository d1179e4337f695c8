"""`python -m tests.qa.benchmarks.fraud`: precision of anomaly marks, as in the docs.

Prints precision and recall by kind of fraud, over made-up worlds (`--seed`, more than once).
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tests.dbt_project.fraud_scores import REASONS, marked, scores
from tests.dbt_project.fraud_worlds import fraud_world


def main(
    seed: Annotated[list[int], typer.Option(help="Which worlds.")],
    creators: Annotated[int, typer.Option(help="Accounts on each platform.", min=1)] = 25,
) -> None:
    """Build the marks of each world and print the table."""
    judged = []
    for world_seed in seed:
        world = fraud_world(world_seed, creators)
        with TemporaryDirectory() as folder:
            judged.append((world, marked(Path(folder), world)))
    posts = sum(len(world.videos) for world, _ in judged)
    readings = sum(len(world.readings) for world, _ in judged)
    typer.echo(f"{posts:,} posts, {readings:,} readings\n")
    typer.echo("| fraud | reason | frauds | found (recall) | marks | right (precision) |")
    typer.echo("|---|---|---|---|---|---|")
    reasons = {str(kind): f"`{reason}`" for kind, reason in REASONS.items()}
    for kind, score in scores(judged).items():
        recall = f"{score.caught} ({score.recall:.0%})"
        right = f"{score.right} ({score.precision:.1%})"
        reason = reasons.get(kind, "any")
        typer.echo(f"| {kind} | {reason} | {score.frauds} | {recall} | {score.marks} | {right} |")


if __name__ == "__main__":
    typer.run(main)
