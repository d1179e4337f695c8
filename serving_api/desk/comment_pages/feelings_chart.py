"""How comments feel, day by day, as a chart."""

from collections.abc import Iterator, Sequence

from serving_api.charts.chart import Chart, Line, Value
from serving_api.desk.comment_pages.words import FEELINGS
from serving_api.resources.comments.collected.signal_schemas import SignalsPoint


def feelings_chart(points: Sequence[SignalsPoint], bucket: str) -> Chart:
    """Return how many comments of each bucket feel how; null where none of them was scored."""
    lines = [Line(label, list(_counts(points, name))) for name, label in FEELINGS.items()]
    unscored = Line("Not scored", [point.sentiment.unscored for point in points], "aside")
    places = [point.bucket_start for point in points]
    return Chart(f"How comments feel by {bucket}", places, [*lines, unscored])


def _counts(points: Sequence[SignalsPoint], feeling: str) -> Iterator[Value]:
    for point in points:
        is_known = not point.comments or point.sentiment.scored_share
        yield getattr(point.sentiment, feeling) if is_known else None
