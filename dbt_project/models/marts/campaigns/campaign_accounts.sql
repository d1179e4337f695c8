select
    campaign_id,
    account_id
from {{ ref('int_campaign_accounts') }}
