"""What all processes that ask a platform's host agree on."""

from typing import Any

from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Unlogged


class HostPace(Unlogged, Base):
    """The pace of one host, as asked from one address (`egress`, a name that operators give).

    `state` is scrapers.transport.hosts.HostState; its instants are seconds of the database's clock
    since 1970.
    """

    __tablename__ = "host_paces"

    egress: Mapped[str] = mapped_column(primary_key=True)
    host: Mapped[str] = mapped_column(primary_key=True)
    state: Mapped[dict[str, Any]] = mapped_column(JSONB)
