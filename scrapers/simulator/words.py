"""Invented handles, names, biographies and captions; any likeness is accidental."""

from random import Random

_QUALITIES = (
    "amber", "brisk", "calm", "dapper", "early", "fuzzy", "gentle", "hazel", "idle", "jolly",
    "keen", "lucky", "mellow", "nimble", "olive", "plucky", "quiet", "rustic", "sunny", "tidy",
    "umber", "vivid", "witty", "young", "zesty",
)  # fmt: skip
_THINGS = (
    "acorn", "bakery", "canvas", "donkey", "easel", "fiddle", "garden", "harbor", "igloo",
    "jacket", "kettle", "lantern", "meadow", "noodle", "otter", "pebble", "quilt", "rocket",
    "saddle", "teapot", "unicorn", "violin", "walnut",
)  # fmt: skip
_TOPICS = (
    "cats", "demo", "food", "fyp", "gardening", "howto", "knitting", "music", "running",
    "sommer_2026", "tea", "travel", "été", "日常",
)  # fmt: skip
_SENTENCES = (
    "Morning routine, take two",
    'They said "never again" and here we are',
    "Before & after, part 3 <3",
    "No words needed 🎉",
    "Recipe below 👇\nSalt to taste",
    "Trying this for a week 🏃‍♀️💨",
    "C'est l'été ☀️",
    "Ask me anything",
)
_BIOGRAPHIES = (
    "Small things, made slowly",
    'Tea & "silence" 🍵',
    "Posts when it rains\nSometimes when it does not",
    "",
    "すこしずつ",
)


def handle(creator: int, seed: int) -> str:
    """Return the first handle of a creator by number; handles are unique."""
    quality, thing = _pair(creator, seed)
    return f"{quality}{'._'[creator % 2]}{thing}{creator}"


def later_handle(creator: int, seed: int) -> str:
    quality, thing = _pair(creator, seed)
    return f"{thing}_{quality}{creator}"


def display_name(creator: int, seed: int) -> str:
    """Return a display name; some have an emoji."""
    quality, thing = _pair(creator, seed)
    return f"{quality.title()} {thing.title()}{' 🌿' if creator % 7 == 0 else ''}"


def biography(draw: Random) -> str:
    return draw.choice(_BIOGRAPHIES)


def hashtags(draw: Random) -> tuple[str, ...]:
    """Return up to four different hashtags, without the sign."""
    return tuple(draw.sample(_TOPICS, draw.randrange(5)))


def caption(draw: Random, tags: tuple[str, ...]) -> str:
    return " ".join((draw.choice(_SENTENCES), *(f"#{tag}" for tag in tags)))


def _pair(creator: int, seed: int) -> tuple[str, str]:
    mixed = creator * 7919 + seed * 104_729
    return _QUALITIES[mixed % len(_QUALITIES)], _THINGS[mixed // 31 % len(_THINGS)]
