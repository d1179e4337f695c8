"""Sentiment of comments by language."""

from dataclasses import dataclass

from duckdb import DuckDBPyConnection

from warehouse.reading.comments.counts import Feelings
from warehouse.reading.comments.scope import CommentScope, Days

BY_LANGUAGE = """
    select
        language,
        count(*) as comment_count,
        count(*) filter (sentiment = 'positive') as positive_count,
        count(*) filter (sentiment = 'neutral') as neutral_count,
        count(*) filter (sentiment = 'negative') as negative_count,
        count(*) filter (sentiment is null) as unscored_count
    from marts.comments
    where {conditions} and is_counted and day between $first and $last
    group by language
    order by comment_count desc, language nulls last
"""


@dataclass(frozen=True, slots=True)
class SpokenFeelings:
    """Sentiment of comments in a language. `language` None: not scored yet."""

    language: str | None
    feelings: Feelings


def feelings_by_language(
    cursor: DuckDBPyConnection, scope: CommentScope, days: Days
) -> list[SpokenFeelings]:
    """Return the languages of comments in these days, the most frequent first."""
    statement = BY_LANGUAGE.format(conditions=scope.conditions())
    parameters = {**scope.parameters(), "first": days.first, "last": days.last}
    rows = cursor.execute(statement, parameters).fetchall()
    return [SpokenFeelings(language, Feelings(*counts)) for language, *counts in rows]
