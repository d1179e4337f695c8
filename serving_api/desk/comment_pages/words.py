"""What signals, feelings and languages of comments are called."""

from collections.abc import Mapping

SIGNALS: Mapping[str, str] = {
    "flagged": "To look at",
    "risk": "Risk of harm",
    "ad_disclosure": "Called an ad",
    "app_question": "Asks about the app",
    "signup_intent": "Wants to sign up",
    "pay_talk": "About pay",
    "brand_mention": "Names the brand",
    "competitor": "Names a competitor",
    "referral_spam": "Referral spam",
}
"""By name, as filters take them; what is to be looked at first."""

FEELINGS: Mapping[str, str] = {
    "positive": "Positive",
    "neutral": "Neutral",
    "negative": "Negative",
}
HANDLED: Mapping[bool, str] = {False: "Not yet", True: "Already"}
"""Whether somebody has handled a comment, as filters take it."""
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
    "und": "Undecided",
    None: "Not looked at yet",
}
"""By the code that comments have; a model of one's own may know others."""

DELAYS: Mapping[str | None, str] = {
    "not_tracked": "The post is not read, and neither are its comments.",
    "too_young": "Comments are collected three days after a post.",
    "not_published": "Comments come with the next look at the post.",
    "too_few": "There are fewer comments than are worth collecting.",
    "refused": "The platform did not show the comments; it is asked again later.",
    "due": "Comments come with the next look at the post.",
    None: "There are no comments.",
}
"""Why none was collected, as REST names it."""
