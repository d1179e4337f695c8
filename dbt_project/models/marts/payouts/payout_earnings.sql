{{ config(materialized="view") }}

{#- Names its table without the database, so that a publication can hold it as it is. #}
select
    * exclude (cpm_evidence) replace (coalesce(evidence, {{ cpm_evidence("cpm_evidence") }}) as evidence)
from {{ ref('payout_earned').include(database=false) }}
