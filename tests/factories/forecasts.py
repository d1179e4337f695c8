"""Tables of forecasts in a made-up publication; tests write what they need."""

FORECAST_TABLES = {
    "view_forecasts": """
        organization_id uuid, project_id uuid, entity varchar, entity_id uuid,
        from_day date, day date,
        views bigint, low_views bigint, high_views bigint, baseline_views bigint,
        hidden_because varchar
    """,
    "goal_forecasts": """
        goal_id uuid, organization_id uuid, project_id uuid, creator_id uuid, metric varchar,
        period varchar, period_start date, period_end date, target_value bigint, actual bigint,
        expected bigint, low bigint, high bigint, baseline bigint,
        hidden_because varchar, outlook varchar
    """,
    "payout_forecasts": """
        organization_id uuid, project_id uuid, entity varchar, entity_id uuid,
        from_day date, day date,
        to_come_cents bigint, low_cents bigint, high_cents bigint, baseline_cents bigint,
        hidden_because varchar
    """,
}
