"""What one request is done with, handed from its endpoint to the services that do it.

What belongs here: what every part of a request may need. What the request says (a path, a query, a
body) stays in parameters, and so does what few need.
"""

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.kit.days import ONE_DAY, today_in
from serving_api.kit.principals import Principal
from serving_api.kit.published import Published
from serving_api.kit.services import Services
from warehouse.operational.base import business_now
from warehouse.operational.session import WriteSession
from warehouse.reading.organizations import zone_of_days


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Who asks, the session that it is done in, the publication's numbers, and all services.

    `marts` are of one publication, whichever the services have by the end.
    """

    caller: Principal
    session: Session
    marts: Published
    services: Services

    @property
    def organization_id(self) -> UUID:
        """Whose rows every statement is about."""
        return self.caller.organization_id

    @property
    def marts_zone(self) -> str:
        """The zone of the publication's days; the organization's, where nothing is published yet.

        The organization may have moved to another zone since, in which the numbers have no days.
        """
        answer = self.marts.worked_out(zone_of_days, self.organization_id, lambda _zone: 1)
        return (answer and answer[0]) or self.caller.analytics_tz

    @property
    def marts_today(self) -> date:
        """The present day in that zone: the last day of which there may be numbers."""
        return today_in(self.marts_zone, business_now(self.session))

    @property
    def marts_whole_to(self) -> date | None:
        """The last day in that zone that was over when numbers end; None where there are none."""
        answer = self.marts.worked_out(zone_of_days, self.organization_id, lambda _zone: 1)
        return today_in(self.marts_zone, answer[1].as_of) - ONE_DAY if answer else None


@dataclass(frozen=True, slots=True)
class WriteContext(RequestContext):
    """A request context that may write: its session commits once the answer is made."""

    session: WriteSession
