with beyond as (
    select distinct
        listed.platform,
        listed.subject,
        listed.rank,
        lists.a_page
    from listed inner join lists on listed.platform = lists.platform
    where
        listed.is_account and listed.is_due and listed.rank > lists.a_page
        and listed.rank <= lists.a_page * lists.most_pages
),

counted as (
    select
        *,
        row_number() over (partition by platform, subject order by rank) as brought
    from beyond
),

depths as (
    select
        platform,
        subject,
        max(rank) as depth
    from counted
    where ceil((rank - a_page)::float8 / a_page) <= brought
    group by platform, subject
),

paged as (
    select
        turn.*,
        case
            when turn.is_account
                then ceil(coalesce(depths.depth, 1)::float8 / lists.a_page)::int
            else 0
        end as pages,
        lists.a_page
    from turn
    inner join lists on turn.platform = lists.platform
    left join depths on turn.platform = depths.platform and turn.subject = depths.subject
),

away as (
    delete from listed using paged
    where
        listed.platform = paged.platform and listed.subject = paged.subject
        and not listed.is_due and listed.rank > paged.pages * paged.a_page
)

insert into reached
select
    paged.platform,
    paged.subject,
    paged.at,
    paged.with_account,
    paged.pages,
    (
        select count(distinct listed.rank) from listed
        where
            listed.platform = paged.platform and listed.subject = paged.subject
            and listed.is_due and listed.rank > paged.pages * paged.a_page
    ) as lone
from paged
