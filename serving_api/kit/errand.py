"""What one request is done with, handed from its endpoint to the services that do it.

What belongs here: what every part of a request may need. What the request says (a path, a query, a
body) stays in parameters, and so does what few need.
"""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from serving_api.auth.principals import Principal
from serving_api.kit.published import Published
from serving_api.services import Services
from warehouse.operational.session import WriteSession


@dataclass(frozen=True, slots=True)
class Errand:
    """Who asks, the session that it is done in, the publication's numbers, and all services.

    `numbers` are of one publication, whichever the services have by the end.
    """

    caller: Principal
    session: Session
    numbers: Published
    services: Services

    @property
    def organization_id(self) -> UUID:
        """Whose rows every statement is about."""
        return self.caller.organization_id


@dataclass(frozen=True, slots=True)
class WriteErrand(Errand):
    """An errand that may write: its session commits once the answer is made."""

    session: WriteSession
