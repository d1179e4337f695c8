"""Store the day of a payment, so that a later time zone of the organization does not move it."""

from zoneinfo import ZoneInfo

import sqlalchemy as sa
from alembic import op

from warehouse.zones import zone_names

revision = "0082"
down_revision = "0081"

RECORDED = sa.text("""
    select payments.id, coalesce(payments.paid_at, payments.created_at) as dated_at, coalesce((
        select zones.analytics_tz from organization_zones as zones
        where zones.organization_id = payments.organization_id
            and zones.valid_from <= greatest(payments.created_at, payments.paid_at)
        order by zones.valid_from desc limit 1
    ), organizations.analytics_tz) as zone
    from payout_payments as payments
    inner join organizations on payments.organization_id = organizations.id
""")
"""Payments and the zone in which their days were shown when they were recorded."""


def upgrade() -> None:
    op.add_column("payout_payments", sa.Column("dated_on", sa.Date, nullable=True))
    connection = op.get_bind()
    days = [
        {"id": row.id, "dated_on": row.dated_at.astimezone(ZoneInfo(row.zone)).date()}
        for row in connection.execute(RECORDED)
        if row.zone in zone_names()
    ]
    if days:
        statement = "update payout_payments set dated_on = :dated_on where id = :id"
        connection.execute(sa.text(statement), days)
