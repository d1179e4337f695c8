"""Plots of what posts cost and bring: a marimo notebook on the current publication.

`make notebook` opens it in the browser. It writes nothing and makes no network requests.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="What posts cost and bring")


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    # What posts cost and bring

    Data: the current publication in `TRACKER_HOME`. Amounts are US cents, and days are in the
    organization's time zone. Unknown values are not plotted. The tables are described in
    `warehouse/README.md`; `docs/recipes.md` has the same questions in plain SQL.
    """)
    return


@app.cell
def _():
    import altair as alt
    import duckdb
    import marimo as mo

    from warehouse.publication.layout import CURRENT
    from warehouse.settings import Settings

    return CURRENT, Settings, alt, duckdb, mo


@app.cell
def _(CURRENT, Settings, duckdb, mo):
    current = Settings().publications_path / CURRENT
    missing = mo.md(f"There is no publication at `{current}` yet. Create one with `tracker run`.")
    mo.stop(not current.exists(), missing)
    connection = duckdb.connect(current.resolve(), read_only=True)
    for setting in ("TimeZone = 'UTC'", "schema = 'marts'"):
        connection.execute(f"set {setting}")
    return (connection,)


@app.cell
def _(connection, mo):
    named = connection.execute(
        """
        select
            name || if(count(*) over (partition by name) > 1, ' ' || organization_id, '') as label,
            organization_id
        from organizations
        order by label
        """
    ).fetchall()
    organization = mo.ui.dropdown(
        dict(named), value=named[0][0] if named else None, label="Organization"
    )
    organization
    return (organization,)


@app.cell
def _(connection, organization):
    def ask(query):
        """Run SQL with `$organization` bound to the chosen organization."""
        return connection.execute(query, {"organization": organization.value}).pl()

    return (ask,)


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Cost per 1,000 views, by campaign and month

    A campaign includes its sub-campaigns, and a post may be in several. So do not add them up.
    """)
    return


@app.cell
def _(ask):
    by_campaign = ask(
        """
        select
            campaigns.name as campaign,
            strftime(day, '%Y-%m') as month,
            sum(cost_cents)::bigint as cost_cents,
            sum(tracked_views)::bigint as views,
            round(10 * sum(cost_cents) / nullif(sum(tracked_views), 0), 2) as usd_per_1000_views
        from costs_and_results
        join campaign_videos using (video_id)
        join campaigns using (campaign_id)
        where campaigns.organization_id = $organization
        group by campaign_id, campaign, month
        order by campaign, month
        """
    )
    by_campaign
    return (by_campaign,)


@app.cell
def _(alt, by_campaign):
    campaign_plot = (
        alt.Chart(by_campaign)
        .mark_line(point=True)
        .encode(
            x=alt.X("month:O", title=None),
            y=alt.Y("usd_per_1000_views:Q", title="$ per 1,000 views"),
            color=alt.Color("campaign:N", title=None),
            tooltip=["campaign", "month", "cost_cents", "views", "usd_per_1000_views"],
        )
        .properties(width="container")
    )
    campaign_plot
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Spend, by platform and month

    Spend without a post, such as a retainer on days without views, belongs to no platform.
    """)
    return


@app.cell
def _(ask):
    by_platform = ask(
        """
        select
            platform,
            strftime(day, '%Y-%m') as month,
            sum(cost_cents)::bigint as cost_cents,
            sum(tracked_views)::bigint as views,
            round(10 * sum(cost_cents) / nullif(sum(tracked_views), 0), 2) as usd_per_1000_views
        from costs_and_results
        where organization_id = $organization
        group by all
        order by platform, month
        """
    )
    by_platform
    return (by_platform,)


@app.cell
def _(alt, by_platform):
    platform_plot = (
        alt.Chart(by_platform)
        .transform_calculate(usd="datum.cost_cents / 100", of="datum.platform || 'no post'")
        .mark_bar()
        .encode(
            x=alt.X("month:O", title=None),
            y=alt.Y("usd:Q", title="$"),
            color=alt.Color("of:N", title=None),
            tooltip=["platform", "month", "cost_cents", "views"],
        )
        .properties(width="container")
    )
    platform_plot
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Growth of the ten posts that gained the most views in the last 30 days
    """)
    return


@app.cell
def _(ask):
    growth = ask(
        """
        with

        recent as (
            select
                video_id,
                day,
                new_views
            from video_daily
            join videos using (video_id)
            where
                videos.organization_id = $organization
                and videos.is_counted
                and day > (select max(day) from video_daily) - 30
        ),

        best as (
            select video_id
            from recent
            group by video_id
            having sum(new_views) is not null
            order by sum(new_views) desc, video_id
            limit 10
        )

        select
            coalesce(videos.title, videos.url) as post,
            day,
            sum(new_views) over (partition by video_id order by day)::bigint as views
        from recent
        join best using (video_id)
        join videos using (video_id)
        order by post, day
        """
    )
    return (growth,)


@app.cell
def _(alt, growth):
    growth_plot = (
        alt.Chart(growth)
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("day:T", title=None),
            y=alt.Y("views:Q", title="views gained"),
            color=alt.Color("post:N", title=None, legend=alt.Legend(orient="bottom", columns=1)),
            tooltip=["post", "day", "views"],
        )
        .properties(width="container")
    )
    growth_plot
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    ## Balance by creator

    Accrued amounts are final, approved or paid. A negative balance is money paid in advance.
    """)
    return


@app.cell
def _(ask):
    balances = ask(
        """
        with

        accrued as (
            select
                creator_id,
                sum(amount_cents) filter (where status in ('final', 'approved', 'paid')) as cents
            from payout_accruals
            group by creator_id
        ),

        paid as (
            select
                creator_id,
                sum(amount_cents) filter (where status = 'paid') as cents
            from payout_payments
            group by creator_id
        )

        select
            creators.display_name as creator,
            coalesce(accrued.cents, 0)::bigint as accrued_cents,
            coalesce(paid.cents, 0)::bigint as paid_cents,
            accrued_cents - paid_cents as balance_cents
        from creators
        left join accrued using (creator_id)
        left join paid using (creator_id)
        where creators.organization_id = $organization
        order by balance_cents desc, creator
        """
    )
    balances
    return (balances,)


@app.cell
def _(alt, balances):
    balance_plot = (
        alt.Chart(balances.head(30))
        .transform_calculate(paid="datum.paid_cents / 100", owed="datum.balance_cents / 100")
        .transform_fold(["paid", "owed"], as_=["what", "usd"])
        .mark_bar()
        .encode(
            x=alt.X("usd:Q", title="$"),
            y=alt.Y("creator:N", title=None, sort=None),
            color=alt.Color("what:N", title=None),
            tooltip=["creator", "accrued_cents", "paid_cents", "balance_cents"],
        )
        .properties(width="container")
    )
    balance_plot
    return


if __name__ == "__main__":
    app.run()
