"""What the ingested comments say: sentiment, signals and terms, each new text once."""

from collections.abc import Iterator

from dagster import AssetSpec, MaterializeResult, ResourceParam, multi_asset

from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running import metadata
from orchestration.running.progress import OnProgress, Progress
from warehouse.comment_scoring.step import score_comments

SCORED = {
    "comment_scores": "sentiment and signals of each text of a comment",
    "comment_mentions": "which of an organization's terms a text mentions",
}


@multi_asset(
    specs=[
        AssetSpec(
            ["raw", table],
            deps=[["raw", "comments"], ["operational", "comment_settings"]],
            group_name="scoring",
            kinds={"python", "duckdb"},
            description=f"Append-only: {what}.",
        )
        for table, what in SCORED.items()
    ]
)
def comment_scoring(
    warehouse: ResourceParam[WarehouseWriter], on_progress: ResourceParam[OnProgress]
) -> Iterator[MaterializeResult[None]]:
    """Score the comments that came since the last pass."""
    on_progress(Progress("score comments"))
    with warehouse.connection() as connection:
        scored = score_comments(connection)
    for table, rows in zip(SCORED, (scored.texts, scored.mentions), strict=True):
        yield MaterializeResult(asset_key=["raw", table], metadata={metadata.ROWS: rows})
