"""Labels of comments' signals, sentiments, languages and states, and the chart of sentiment."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from serving_api.charts.chart import Chart, Line, Value
from serving_api.resources.comments.collected.signal_schemas import SignalsPoint

SIGNALS: Mapping[str, str] = {
    "flagged": "Flagged",
    "risk": "Risk of harm",
    "ad_disclosure": "Calls it an ad",
    "app_question": "Asks about the app",
    "signup_intent": "Wants to sign up",
    "pay_talk": "Talks about pay",
    "brand_mention": "Mentions the brand",
    "competitor": "Mentions a competitor",
    "referral_spam": "Referral spam",
}
"""By filter value, `flagged` first."""
FEELINGS: Mapping[str, str] = {"positive": "Positive", "neutral": "Neutral", "negative": "Negative"}
HANDLED: Mapping[bool, str] = {False: "Open", True: "Handled"}
"""By filter value: whether a member has handled the comment."""
ORDERS: Mapping[str, str] = {
    "newest": "Newest first",
    "top": "Most likes first",
    "oldest": "Oldest first",
}
LANGUAGES: Mapping[str | None, str] = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "ms": "Malay",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "ta": "Tamil",
    "th": "Thai",
    "tl": "Tagalog",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
    "zxx": "No words",
    "und": "Unknown",
    None: "Not detected yet",
}
"""By the comment's language code; a custom model may return others."""

DELAYS: Mapping[str | None, str] = {
    "not_tracked": "The post is not tracked, so its comments are not collected.",
    "too_young": "Comments are collected three days after a post is published.",
    "not_published": "Comments appear after the next check of the post.",
    "too_few": "The post has too few comments to collect.",
    "refused": "The platform did not show the comments. The next check tries again.",
    "due": "Comments are counted. Their texts are collected next, within the daily allowance.",
    None: "There are no comments.",
}
"""By REST's `not_collected` reason."""


def feelings_chart(points: Sequence[SignalsPoint], bucket: str, today: date | None = None) -> Chart:
    """Return comments by sentiment and bucket; None where no comment was scored."""
    lines = [Line(label, list(_counts(points, name))) for name, label in FEELINGS.items()]
    unscored = Line("Not scored", [point.sentiment.unscored for point in points], "aside")
    x_values = [point.bucket_start for point in points]
    return Chart(f"Sentiment by {bucket}", x_values, [*lines, unscored], today=today)


def _counts(points: Sequence[SignalsPoint], feeling: str) -> Iterator[Value]:
    for point in points:
        is_known = not point.comments or point.sentiment.scored_share
        yield getattr(point.sentiment, feeling) if is_known else None
