"""Faults of the simulator: their configuration, and the choice for each request.

`refusals.py` has the responses; the world's truth is not touched. Choices depend on the seed and on
the request's number among those that match a rule, so the same requests get the same faults.
"""

from collections import Counter
from enum import StrEnum
from fnmatch import fnmatchcase

from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.requests import Request

from scrapers.simulator.draws import draws


class FaultKind(StrEnum):
    """Every kind of wrong response. Their signs: platforms.md, 1.0, 2.0 and 5."""

    RATE_LIMITED = "rate_limited"
    """429, with Retry-After if `retry_after_seconds` is set."""
    SERVER_ERROR = "server_error"
    """A 5xx: `status`."""
    SLOW = "slow"
    """The right response, `latency_ms` late."""
    RESET = "reset"
    """The connection is reset instead of a response."""
    EMPTY_BODY = "empty_body"
    """200 and 0 bytes."""
    NO_DATA = "no_data"
    """200 and HTML without any data script, also for JSON routes."""
    CHALLENGE = "challenge"
    """TikTok's JavaScript challenge page; a redirect to /challenge/ on Instagram."""
    CAPTCHA = "captcha"
    """JSON that requires a captcha: TikTok's code 10000, Instagram's checkpoint_required."""
    LOGIN_REDIRECT = "login_redirect"
    """A redirect to the login page."""
    LOGIN_PAGE = "login_page"
    """200 and Instagram's login page instead of any other: a wall without redirect. On TikTok, this
    and the next are pages without data."""
    PAGE_WITHOUT_DATA = "page_without_data"
    """200 and Instagram's right page with its scripts, but without data: a throttled guest's."""
    CHANGED_SHAPE = "changed_shape"
    """The right response with its known keys renamed."""
    SAME_PAGE = "same_page"
    """Every page of a connected account is the first one, and there is always a next one."""
    CUT_BODY = "cut_body"
    """The right response, cut in the middle."""
    EXPIRED_ACCESS = "expired_access"
    """A creator's token is refused, though the consent is valid. No effect elsewhere."""
    REVOKED_CONSENT = "revoked_consent"
    """A creator's token and its renewal are refused: the creator revoked the consent."""
    OTHER_ACCOUNT = "other_account"
    """A creator's token returns another account's data."""


class Fault(BaseModel):
    """One rule: `kind` affects a share `rate` of the requests whose path matches `path`.

    `path` is a pattern for the whole path, like `/tiktok/api/*`. With `times`, only that many first
    matching requests count. Delays are in milliseconds, waits in seconds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: FaultKind
    path: str = "*"
    rate: float = Field(default=1, gt=0, le=1)
    times: int | None = Field(default=None, ge=1)
    retry_after_seconds: int | None = Field(default=None, ge=0)
    status: int = Field(default=503, ge=500, le=599)
    latency_ms: int = Field(default=0, ge=0, le=600_000)

    @model_validator(mode="after")
    def _slow_has_a_delay(self) -> "Fault":
        if (self.kind is FaultKind.SLOW) != (self.latency_ms > 0):
            raise ValueError("set latency_ms for the slow fault, and only for it")
        return self


class Faults(BaseModel):
    """The faults of a simulator: a delay for every platform response, and rules in order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    latency_ms: int = Field(default=0, ge=0, le=600_000)
    rules: tuple[Fault, ...] = ()


class FaultPlan:
    """Chooses the fault of each request and counts matches."""

    def __init__(self, seed: int, faults: Faults | None = None) -> None:
        self._seed = seed
        self.use(faults or Faults())

    def use(self, faults: Faults) -> None:
        self.faults = faults
        self._met: Counter[int] = Counter()

    @property
    def met(self) -> list[int]:
        """How many requests each rule has matched, affected or not."""
        return [self._met[number] for number in range(len(self.faults.rules))]

    def choose(self, path: str) -> Fault | None:
        """Return the first rule that affects a request for `path`, or None."""
        for number, rule in enumerate(self.faults.rules):
            if fnmatchcase(path, rule.path) and self._strikes(number, rule):
                return rule
        return None

    def _strikes(self, number: int, rule: Fault) -> bool:
        met = self._met[number]
        if rule.times is not None and met >= rule.times:
            return False
        self._met[number] += 1
        return rule.rate == 1 or draws(self._seed, "fault", number, met).random() < rule.rate


def fault_of(request: Request) -> FaultKind | None:
    """Return the request's fault, for handlers whose lists it changes."""
    fault: Fault | None = getattr(request.state, "fault", None)
    return fault.kind if fault else None
