-- int_goal_facts of the last published run.
create table if not exists control.goal_facts (
    creator_id uuid not null,
    facts bigint not null,
    digest ubigint not null
);
