"""The context of a request, passed from its endpoint to services.

Contains what every request may need. Path, query and body stay parameters.
"""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.kit.days import ONE_DAY, today_in
from serving_api.kit.principals import Principal
from serving_api.kit.published import Published
from serving_api.kit.services import Services
from warehouse.operational.base import business_now
from warehouse.operational.session import WriteSession
from warehouse.reading.series.known import zone_of_days


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Caller, session, publications and services of a request.

    `marts` stay on one publication, even if a newer one becomes current.
    """

    caller: Principal
    session: Session
    marts: Published
    services: Services

    @property
    def organization_id(self) -> UUID:
        """The organization that every statement must name."""
        return self.caller.organization_id

    @property
    def now(self) -> datetime:
        """Business time."""
        return business_now(self.session)

    @property
    def today(self) -> date:
        """The organization's day."""
        return today_in(self.caller.analytics_tz, self.now)

    @property
    def marts_zone(self) -> str:
        """The time zone of the publication's days; the organization's before the first.

        If the organization changed its zone since, the publication still has days of the old one.
        """
        answer = self.marts.cached(zone_of_days, self.organization_id, lambda _zone: 1)
        return (answer and answer[0]) or self.caller.analytics_tz

    @property
    def is_zone_new(self) -> bool:
        """Whether the publication's days are not yet those of the organization's zone."""
        return self.marts_zone != self.caller.analytics_tz

    @property
    def marts_today(self) -> date:
        """Today in that zone: the last day that may have numbers."""
        return today_in(self.marts_zone, self.now)

    @property
    def marts_whole_to(self) -> date | None:
        """The last complete day of the numbers in that zone; None without numbers."""
        answer = self.marts.cached(zone_of_days, self.organization_id, lambda _zone: 1)
        return today_in(self.marts_zone, answer[1].as_of) - ONE_DAY if answer else None


@dataclass(frozen=True, slots=True)
class WriteContext(RequestContext):
    """A context that may write: its session commits after the response is built."""

    session: WriteSession
