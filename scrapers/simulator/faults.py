"""What goes wrong on purpose, and when: the configuration, and the choice for each request.

How a refusal looks is in `refusals.py`; what is true in the world is not touched. Choices depend
on the seed and on the request's place among those that match a rule, so the same sequence of
requests meets the same faults.
"""

from collections import Counter
from enum import StrEnum
from fnmatch import fnmatchcase

from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.requests import Request

from scrapers.simulator.draws import draws


class FaultKind(StrEnum):
    """Every way in which an answer can be wrong. Signs: platforms.md, 1.0, 2.0 and 5."""

    RATE_LIMITED = "rate_limited"
    """429, with Retry-After where `retry_after_seconds` is given."""
    SERVER_ERROR = "server_error"
    """A 5xx: `status`."""
    SLOW = "slow"
    """The right answer, `latency_ms` late."""
    RESET = "reset"
    """The connection is reset in place of an answer."""
    EMPTY_BODY = "empty_body"
    """200 and 0 bytes."""
    NO_DATA = "no_data"
    """200 and HTML without any data script, also where JSON was asked."""
    CHALLENGE = "challenge"
    """TikTok's JavaScript challenge page; a redirect to /challenge/ on Instagram."""
    CAPTCHA = "captcha"
    """JSON that asks for a captcha: TikTok's code 10000, Instagram's checkpoint_required."""
    PLEASE_WAIT = "please_wait"
    """Instagram's 401 'Please wait a few minutes'; on TikTok the challenge page, which says so."""
    LOGIN_REDIRECT = "login_redirect"
    """A redirect to the login page."""
    LOGIN_PAGE = "login_page"
    """200 and Instagram's login page in place of any other: a wall that does not redirect.

    This and the next two are pages without any data on TikTok."""
    ERROR_PAGE = "error_page"
    """200 and Instagram's page for what is not there."""
    PAGE_WITHOUT_DATA = "page_without_data"
    """200 and Instagram's right page, scripts and all, without its data: a throttled guest's."""
    CHANGED_SHAPE = "changed_shape"
    """The right answer with its well-known keys renamed."""
    LOOP_PREFIX = "loop_prefix"
    """The right answer behind `for (;;);`."""
    SAME_PAGE = "same_page"
    """Every page of a list is the first one, and more always follows."""
    EMPTY_PAGE = "empty_page"
    """A page of a list without posts, though more follow."""
    RETIRED_QUERY = "retired_query"
    """403, as for a doc_id that is no longer served."""
    EXECUTION_ERROR = "execution_error"
    """200 with `data: null` and an execution error, as for a stale doc_id."""
    QUERY_LIMIT = "query_limit"
    """Instagram's GraphQL error 1675004, or the official API's code 4: too many requests."""
    CUT_BODY = "cut_body"
    """The right answer, ending in the middle."""
    EXPIRED_ACCESS = "expired_access"
    """To a creator's token: it is refused, though the consent stands. Nothing elsewhere."""
    REVOKED_CONSENT = "revoked_consent"
    """To a creator's token or its renewal: the creator has taken the consent back."""
    OTHER_ACCOUNT = "other_account"
    """To a creator's token: the data of another account."""


class Fault(BaseModel):
    """One rule: `kind` befalls a share `rate` of the requests whose path matches `path`.

    `path` is a pattern like `/tiktok/api/*` over the whole path. With `times`, only the first
    so many matching requests count. Delays are in milliseconds, waits in seconds.
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
            raise ValueError("latency_ms belongs to the slow fault, which needs it")
        return self


class Faults(BaseModel):
    """The faults of a simulator: a delay for every platform answer, and rules in order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    latency_ms: int = Field(default=0, ge=0, le=600_000)
    rules: tuple[Fault, ...] = ()


class FaultPlan:
    """Chooses the fault of each request and counts what it chose."""

    def __init__(self, seed: int, faults: Faults | None = None) -> None:
        self._seed = seed
        self.use(faults or Faults())

    def use(self, faults: Faults) -> None:
        """Start anew with other faults; every count begins at 0."""
        self.faults = faults
        self._met: Counter[int] = Counter()

    @property
    def met(self) -> list[int]:
        """How many requests each rule has matched, whether or not it struck them."""
        return [self._met[number] for number in range(len(self.faults.rules))]

    def choose(self, path: str) -> Fault | None:
        """Return the first rule that strikes a request for `path`, or None."""
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
    """Return the fault that the request meets, for handlers whose list pages it changes."""
    fault: Fault | None = getattr(request.state, "fault", None)
    return fault.kind if fault else None
