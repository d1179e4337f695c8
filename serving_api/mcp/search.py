"""An index that finds tools by words: their own, people's, and values of their arguments."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from serving_api.mcp.tools import OperationTool

# The library's BM25 (fastmcp 4.1.2, `BM25SearchTransform`) does not stem, knows only the tools' own
# words and weighs examples like names: it found 49 of 60 test questions.
_WEIGHTS = (4, 4, 4, 2, 2, 1)
"""Of the columns name, summary, words, description, synonyms, arguments."""

_SYNONYMS = {
    "accruals": "earnings amounts invoice money cash",
    "annotations": "marker timeline event milestone remark chart",
    "anomalies": "fell dropped strange odd jumped gone deleted real genuine roof",
    "assignments": "pays paid rule deal contract",
    "balances": "money cash owe owing",
    "budgets": "spending spend expenses cap ceiling limit maximum costs reserve allocate euros",
    "campaign": "promotion launch push flight",
    "comments": "replies feedback reactions audience fans people writing under",
    "compliance": "hit reached met achieved missed progress",
    "conversions": "sale sold sell order purchase revenue signup",
    "costs": "compare versus cheap expensive efficient price worth ROI",
    "coverage": "complete missing gaps fresh refreshed updated stale",
    "creator": "influencer talent ambassador partner blogger youtuber artist star her him she",
    "account": "channel profile username handle",
    "decide": "close resolve accept approve reject",
    "deliveries": "arrive arrived received reached fired sent hook callback ping stopped",
    "disputes": "complaint complain says objection disagreement claim wrong little underpaid"
    " invoice",
    "exports": "spreadsheet excel download file everything",
    "goals": "quota requirement target commitment",
    "health": "doing fell dropped gone deleted disappeared blocked blocking refused private stale"
    " refreshed",
    "invitations": "coworker colleague teammate mail invite",
    "keys": "credential token integration password access",
    "leaderboards": "top best ranking winners strongest worst weakest eyeballs brought flopped blew"
    " tanked exploded viral talking cheapest",
    "links": "url page portal client hide code pin",
    "many": "bulk batch several list paste once",
    "members": "coworker colleague teammate staff employee team intern login log people see"
    " role rights",
    "methods": "crypto bank way",
    "notes": "memo remark reminder",
    "organizations": "company business firm",
    "payments": "transfer wire sent cash paid money made payout",
    "projects": "brand client customer program",
    "reports": "presentation deck sponsor summary client page",
    "simulate": "would try paid bucks dollars thousand instead hypothetical",
    "structures": "price rate deal contract bucks per thousand bonus fee",
    "tags": "label category categorise segment group niche",
    "videos": "clip reel upload content tiktok",
    "webhooks": "callback ping notify notification slack zapier integration push hook",
    "add": "join put attach include bring board",
    "create": "new hire open start set build",
    "deactivate": "pause suspend stop freeze halt ice weeks follow",
    "delete": "drop erase cancel trash remove end finish turn off",
    "get": "details",
    "list": "overview history",
    "reactivate": "resume unpause restart",
    "end": "stop terminate pull plug",
    "remove": "drop delete cut end dismiss kick pull plug",
    "revoke": "cancel end withdraw shut close undo",
    "record": "log purchase sale order signup",
    "rotate": "renew replace secret",
    "update": "change edit adjust correct rename modify fix switch move raise lower higher"
    " typed turn off hide mistake",
    "void": "undo refund cancel reverse",
}
"""People's words for the parts of tools' names, singular or plural."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_NO_SUBJECT = {
    *("all", "and", "any", "are", "been", "but", "can", "come", "did", "does", "for", "from"),
    *("give", "has", "have", "here", "how", "into", "its", "just", "let", "make", "many", "most"),
    *("much", "need", "not", "only", "our", "out", "over", "please", "should", "show"),
    *("since", "that", "the", "their", "them", "there", "they", "this", "two", "under", "until"),
    *("want", "was", "were", "what", "when", "where", "which", "who", "with"),
    *("you", "your", "get", "got", "monday", "tuesday", "wednesday", "thursday", "friday"),
    *("saturday", "sunday", "last", "month", "week", "year", "day", "these", "say", "look", "like"),
    *("one", "someone"),
}


class ToolIndex:
    """Finds tools by words in their descriptions."""

    def __init__(self, tools: Iterable[OperationTool]) -> None:
        self._tools = list(tools)
        # Created in a thread, used only in the event loop.
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.execute(
            "create virtual table tools using fts5("
            "name, summary, words, description, synonyms, arguments, factor unindexed,"
            " tokenize = 'porter unicode61')"
        )
        self._connection.executemany(
            "insert into tools"
            " (rowid, name, summary, words, description, synonyms, arguments, factor)"
            " values (?, ?, ?, ?, ?, ?, ?, ?)",
            ((number, *_columns(tool)) for number, tool in enumerate(self._tools)),
        )

    def search(self, query: str) -> Sequence[OperationTool]:
        """Return tools with any of the words, best first."""
        words = " OR ".join(f'"{word}"' for word in words_of(query))
        if not words:
            return []
        rows = self._connection.execute(
            "select rowid from tools where tools match ?"
            " order by bm25(tools, ?, ?, ?, ?, ?, ?) * factor, rowid",
            (words, *_WEIGHTS),
        )
        return [self._tools[number] for (number,) in rows]


def words_of(query: str) -> list[str]:
    return [word for word in _WORD.findall(query.lower()) if word not in _NO_SUBJECT]


def _columns(tool: OperationTool) -> tuple[str | float, ...]:
    operation, entry = tool.operation, tool.operation.entry
    names = f"{tool.name} {operation.declared['operationId']}"
    text = f"{operation.declared['description']} {entry.use}"
    arguments = " ".join([*operation.parameters, *_enumerated(tool.parameters)])
    parts = {part.removesuffix("s") for part in tool.name.split("_")}
    synonyms = " ".join(_SYNONYMS[part] for part in _SYNONYMS if part.removesuffix("s") in parts)
    # Of tools with the same words; those of an item's tags have the words of four nouns.
    factor = 1.2 if tool.name.endswith(("_list", "_create")) else 1.0
    factor *= 0.7 if "_tags_" in tool.name else 1
    return names, operation.declared["summary"], entry.words, text, synonyms, arguments, factor


def _enumerated(schema: Any) -> Iterator[str]:
    """Yield the values that arguments are limited to."""
    if isinstance(schema, dict):
        yield from map(str, schema.get("enum", ()))
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else ():
        yield from _enumerated(part)
