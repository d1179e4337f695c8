-- Every sum(bigint) is a HUGEINT, which Parquet silently stores as DOUBLE: published counts would no longer
-- be exact. Counts must be BIGINT. The marts named here are built last.
{% for mart in ["video_daily", "account_daily", "creator_daily", "campaign_daily", "videos", "accounts", "payout_accruals"] -%}
-- depends_on: {{ ref(mart) }}
{% endfor %}

select
    table_name,
    column_name,
    data_type
from duckdb_columns()
where
    database_name = current_database()
    and schema_name in ('marts', 'machinery')
    and (data_type like '%HUGEINT%' or regexp_matches(data_type, 'DOUBLE|FLOAT'))
