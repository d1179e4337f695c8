select
    creator_id,
    account_id
from {{ ref('stg_accounts') }}
where is_active and not is_deactivated
