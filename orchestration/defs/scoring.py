"""Scores ingested comments: sentiment, signals and terms, each new text once."""

from collections.abc import Iterator

from dagster import AssetExecutionContext, AssetKey, MaterializeResult, ResourceParam, multi_asset

from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running import metadata
from orchestration.running.progress import OnProgress, Progress
from orchestration.running.table_specs import key_of, spec_of
from warehouse.catalogue.raw import SCORED
from warehouse.comment_scoring.chosen import model_or_unscored
from warehouse.comment_scoring.step import score_comments
from warehouse.settings import Settings


@multi_asset(
    specs=[
        spec_of(
            table,
            deps=[AssetKey(["raw", "comments"]), AssetKey(["operational", "comment_settings"])],
            group_name="scoring",
            kinds=frozenset({"python"}),
        )
        for table in SCORED
    ]
)
def comment_scoring(
    context: AssetExecutionContext,
    settings: ResourceParam[Settings],
    warehouse: ResourceParam[WarehouseWriter],
    on_progress: ResourceParam[OnProgress],
) -> Iterator[MaterializeResult[None]]:
    """Score the comments since the last pipeline run."""

    def on_problem(message: str) -> None:
        context.log.error(message)
        on_progress(Progress("problem", note=message))

    on_progress(Progress("score comments"))
    model = model_or_unscored(settings.sentiment_model, on_problem)
    with warehouse.connection() as connection:
        score_comments(connection, model)
        total = {table.name: len(connection.table(table.relation)) for table in SCORED}
    for table in SCORED:
        yield MaterializeResult(
            asset_key=key_of(table), metadata={metadata.ROWS: total[table.name]}
        )
