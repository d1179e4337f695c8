"""Tables of forecasts in a made-up publication; tests write what they need."""

FORECAST_TABLES = {
    "view_forecasts": """
        organization_id uuid, project_id uuid, entity varchar, entity_id uuid,
        from_day date, day date,
        views bigint, low_views bigint, high_views bigint, baseline_views bigint,
        tested_days integer, hidden_because varchar
    """,
    "forecast_accuracy": """
        organization_id uuid, project_id uuid, metric varchar, entity varchar, days integer,
        tests bigint, mape decimal(18, 6), baseline_mape decimal(18, 6), coverage decimal(18, 6),
        low_ratio decimal(18, 6), high_ratio decimal(18, 6), hidden_because varchar
    """,
    "goal_forecasts": """
        goal_id uuid, organization_id uuid, project_id uuid, creator_id uuid, metric varchar,
        period varchar, period_start date, period_end date, target_value bigint, actual bigint,
        expected bigint, low bigint, high bigint, baseline bigint, tested_days integer,
        hidden_because varchar, outlook varchar
    """,
    "payout_forecasts": """
        organization_id uuid, project_id uuid, entity varchar, entity_id uuid,
        from_day date, day date,
        to_come_cents bigint, low_cents bigint, high_cents bigint, baseline_cents bigint,
        tested_days integer, hidden_because varchar
    """,
}
