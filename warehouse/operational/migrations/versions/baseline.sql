CREATE FUNCTION count_tags_of_item() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    perform pg_advisory_xact_lock(
        hashtextextended('tags/' || new.organization_id || '/' || tg_argv[0], 0)
    );
    update tags
    set usage_count = usage_count + tg_argv[1]::integer
    from tag_items
    where tag_items.item_id = new.id and tags.id = tag_items.tag_id;
    return null;
end
$$;

CREATE FUNCTION note_departures() RETURNS trigger LANGUAGE plpgsql AS $$
    begin
        execute format(
            'insert into departures (table_name, row_key) select %L, array[%s] from gone',
            tg_table_name,
            tg_argv[0]
        );
        return null;
    end
    $$;

CREATE FUNCTION note_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
    begin
        insert into departures (table_name) values (tg_table_name);
        return null;
    end
    $$;

CREATE FUNCTION note_unpublished_change() RETURNS trigger LANGUAGE plpgsql AS $$
    begin
        if current_setting('tracker.change_is_noted', true) is distinct from 'yes' then
            insert into unpublished_changes (table_name) values (tg_table_name);
            perform set_config('tracker.change_is_noted', 'yes', true);
        end if;
        return null;
    end
    $$;

CREATE FUNCTION note_writer() RETURNS trigger LANGUAGE plpgsql AS $$
    begin
        new.changed_by := pg_current_xact_id()::text::bigint;
        return new;
    end
    $$;

CREATE FUNCTION refuse_another_key() RETURNS trigger LANGUAGE plpgsql AS $$
    begin
        raise exception 'the key of % never changes', tg_table_name
            using errcode = 'integrity_constraint_violation';
    end
    $$;

CREATE TABLE departures (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_departures PRIMARY KEY,
    table_name character varying NOT NULL,
    row_key uuid[],
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL
);

CREATE TABLE host_paces (
    egress character varying NOT NULL,
    host character varying NOT NULL,
    state jsonb NOT NULL,
    CONSTRAINT pk_host_paces PRIMARY KEY (egress, host)
);

CREATE TABLE leases (
    name character varying NOT NULL CONSTRAINT pk_leases PRIMARY KEY,
    holder character varying NOT NULL,
    fence bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE oauth_clients (
    id uuid NOT NULL CONSTRAINT pk_oauth_clients PRIMARY KEY,
    name character varying NOT NULL,
    redirect_uris character varying[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    let_in_at timestamp with time zone
);

CREATE TABLE organizations (
    id uuid NOT NULL CONSTRAINT pk_organizations PRIMARY KEY,
    name character varying NOT NULL,
    plan character varying DEFAULT 'free'::character varying NOT NULL CONSTRAINT ck_organizations_plan CHECK ((plan IN ('free', 'starter', 'ultra'))),
    analytics_tz character varying DEFAULT 'UTC'::character varying NOT NULL,
    is_suspended boolean DEFAULT false NOT NULL,
    readme character varying,
    payout_settling_days integer DEFAULT 0 NOT NULL CONSTRAINT ck_organizations_payout_settling_days CHECK (((payout_settling_days >= 0) AND (payout_settling_days <= 30))),
    conversion_payouts_enabled boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    readme_updated_at timestamp with time zone,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    freshness character varying DEFAULT 'standard'::character varying NOT NULL CONSTRAINT ck_organizations_freshness CHECK ((freshness IN ('fast', 'standard', 'frugal')))
);

CREATE TABLE plan_reach (
    origin character varying NOT NULL CONSTRAINT pk_plan_reach PRIMARY KEY,
    rule character varying NOT NULL,
    up_to bigint NOT NULL
);

CREATE TABLE post_pictures (
    platform character varying NOT NULL,
    platform_video_id character varying NOT NULL,
    url character varying NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    path character varying,
    CONSTRAINT ck_post_pictures_path CHECK (((path IS NULL) OR (due_at IS NULL))),
    CONSTRAINT pk_post_pictures PRIMARY KEY (platform, platform_video_id)
);

CREATE TABLE provider_runs (
    provider character varying NOT NULL,
    wanted character varying NOT NULL,
    run_id character varying NOT NULL,
    items_id character varying NOT NULL,
    units bigint NOT NULL,
    day date NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT pk_provider_runs PRIMARY KEY (provider, wanted)
);

CREATE TABLE provider_spending (
    provider character varying NOT NULL,
    day date NOT NULL,
    requests integer NOT NULL,
    usd numeric(20,10) NOT NULL,
    CONSTRAINT pk_provider_spending PRIMARY KEY (provider, day)
);

CREATE TABLE registered_batches (
    batch_id uuid NOT NULL CONSTRAINT pk_registered_batches PRIMARY KEY,
    kind character varying NOT NULL,
    registered_at timestamp with time zone NOT NULL,
    batch_seq bigint,
    form uuid
);

CREATE TABLE shards (
    name character varying NOT NULL CONSTRAINT pk_shards PRIMARY KEY,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ingested_up_to bigint DEFAULT '0'::bigint NOT NULL
);

CREATE TABLE shared_publications (
    publication_id uuid NOT NULL CONSTRAINT pk_shared_publications PRIMARY KEY,
    place bigint NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT uq_shared_publications_place UNIQUE,
    as_of timestamp with time zone NOT NULL,
    published_at timestamp with time zone NOT NULL,
    models_version character varying,
    shared_at timestamp with time zone,
    shard character varying,
    members character varying
);

CREATE TABLE sign_in_failures (
    email_hash bytea NOT NULL CONSTRAINT pk_sign_in_failures PRIMARY KEY,
    failed integer NOT NULL,
    tried_at timestamp with time zone NOT NULL,
    locked_until timestamp with time zone
);

CREATE TABLE unpublished_changes (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_unpublished_changes PRIMARY KEY,
    table_name character varying NOT NULL
);

CREATE TABLE visits (
    platform character varying NOT NULL,
    subject character varying NOT NULL,
    looked_at timestamp with time zone,
    account_due_at timestamp with time zone,
    due_at timestamp with time zone NOT NULL,
    reason character varying NOT NULL,
    lease_expires_at timestamp with time zone,
    pays_at timestamp with time zone,
    oldest_at timestamp with time zone,
    failing_since timestamp with time zone,
    CONSTRAINT pk_visits PRIMARY KEY (platform, subject)
);

CREATE TABLE webhook_reach (
    publication_id uuid NOT NULL CONSTRAINT pk_webhook_reach PRIMARY KEY,
    shard character varying DEFAULT 'main'::character varying NOT NULL
);

CREATE TABLE api_request_days (
    organization_id uuid NOT NULL CONSTRAINT fk_api_request_days_organization_id_organizations REFERENCES organizations,
    day date NOT NULL,
    requests integer NOT NULL,
    CONSTRAINT pk_api_request_days PRIMARY KEY (organization_id, day)
)
WITH (fillfactor='50');

CREATE TABLE comment_settings (
    organization_id uuid NOT NULL CONSTRAINT pk_comment_settings PRIMARY KEY CONSTRAINT fk_comment_settings_organization_id_organizations REFERENCES organizations,
    min_comment_count integer DEFAULT 5 NOT NULL CONSTRAINT ck_comment_settings_min_comment_count CHECK (((min_comment_count >= 0) AND (min_comment_count <= 100000))),
    brand_terms character varying[] DEFAULT '{}'::character varying[] NOT NULL,
    competitor_terms character varying[] DEFAULT '{}'::character varying[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL
);

CREATE TABLE idempotency_outcomes (
    organization_id uuid NOT NULL CONSTRAINT fk_idempotency_outcomes_organization_id_organizations REFERENCES organizations,
    key character varying(255) NOT NULL,
    endpoint character varying NOT NULL,
    request_hash bytea NOT NULL,
    status integer NOT NULL,
    response_body bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT pk_idempotency_outcomes PRIMARY KEY (organization_id, key)
);

CREATE TABLE organization_conversion_payouts (
    id uuid NOT NULL CONSTRAINT pk_organization_conversion_payouts PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_organization_conversion_payouts_organization_id_orga_cf45 REFERENCES organizations,
    is_enabled boolean NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT uq_organization_conversion_payouts_organization_id_valid_from UNIQUE (organization_id, valid_from)
);

CREATE TABLE organization_zones (
    id uuid NOT NULL CONSTRAINT pk_organization_zones PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_organization_zones_organization_id_organizations REFERENCES organizations,
    analytics_tz character varying NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT uq_organization_zones_organization_id_valid_from UNIQUE (organization_id, valid_from)
);

CREATE TABLE payout_methods (
    id uuid NOT NULL CONSTRAINT pk_payout_methods PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_methods_organization_id_organizations REFERENCES organizations,
    name character varying NOT NULL,
    icon_path character varying,
    is_default boolean DEFAULT false NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    readme character varying,
    readme_updated_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE projects (
    id uuid NOT NULL CONSTRAINT pk_projects PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_projects_organization_id_organizations REFERENCES organizations,
    name character varying NOT NULL,
    readme character varying,
    is_archived boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    readme_updated_at timestamp with time zone,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL
);

CREATE TABLE shown_changes (
    change_id bigint NOT NULL CONSTRAINT fk_shown_changes_change_id_unpublished_changes REFERENCES unpublished_changes ON DELETE CASCADE,
    shard character varying NOT NULL CONSTRAINT fk_shown_changes_shard_shards REFERENCES shards ON DELETE CASCADE,
    CONSTRAINT pk_shown_changes PRIMARY KEY (change_id, shard)
);

CREATE TABLE users (
    id uuid NOT NULL CONSTRAINT pk_users PRIMARY KEY,
    email character varying NOT NULL,
    display_name character varying NOT NULL,
    password_hash character varying,
    is_platform_admin boolean DEFAULT false NOT NULL,
    is_banned boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    made_by_organization_id uuid CONSTRAINT fk_users_made_by_organization_id_organizations REFERENCES organizations
);

CREATE TABLE webhook_endpoints (
    id uuid NOT NULL CONSTRAINT pk_webhook_endpoints PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_webhook_endpoints_organization_id_organizations REFERENCES organizations,
    url character varying NOT NULL,
    description character varying,
    event_types character varying[],
    secret_encrypted bytea NOT NULL,
    previous_secret_encrypted bytea,
    previous_secret_expires_at timestamp with time zone,
    is_enabled boolean DEFAULT true NOT NULL,
    disabled_reason character varying CONSTRAINT ck_webhook_endpoints_disabled_reason CHECK ((disabled_reason IN ('gone', 'failing'))),
    disabled_at timestamp with time zone,
    last_success_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    paused_until timestamp with time zone
);

CREATE TABLE webhook_events (
    id uuid NOT NULL CONSTRAINT pk_webhook_events PRIMARY KEY,
    sequence bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    organization_id uuid NOT NULL CONSTRAINT fk_webhook_events_organization_id_organizations REFERENCES organizations,
    type character varying NOT NULL,
    entity_type character varying NOT NULL,
    entity_id character varying NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    data jsonb NOT NULL
);

CREATE TABLE annotations (
    id uuid NOT NULL CONSTRAINT pk_annotations PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_annotations_organization_id_organizations REFERENCES organizations,
    scope character varying NOT NULL CONSTRAINT ck_annotations_scope CHECK ((scope IN ('creator', 'campaign', 'video'))),
    entity_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    title character varying NOT NULL,
    body_md character varying,
    author_id uuid NOT NULL CONSTRAINT fk_annotations_author_id_users REFERENCES users,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE api_keys (
    id uuid NOT NULL CONSTRAINT pk_api_keys PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_api_keys_organization_id_organizations REFERENCES organizations,
    name character varying NOT NULL,
    key_hash bytea NOT NULL CONSTRAINT uq_api_keys_key_hash UNIQUE CONSTRAINT ck_api_keys_key_hash_length CHECK ((octet_length(key_hash) = 32)),
    key_prefix character varying NOT NULL,
    scopes character varying[] NOT NULL,
    acts_as_user_id uuid NOT NULL CONSTRAINT fk_api_keys_acts_as_user_id_users REFERENCES users,
    created_by_user_id uuid NOT NULL CONSTRAINT fk_api_keys_created_by_user_id_users REFERENCES users,
    status character varying DEFAULT 'active'::character varying NOT NULL CONSTRAINT ck_api_keys_status CHECK ((status IN ('active', 'revoked', 'deactivated'))),
    deactivation_reason character varying,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE campaigns (
    id uuid NOT NULL CONSTRAINT pk_campaigns PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_campaigns_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_campaigns_project_id_projects REFERENCES projects,
    name character varying NOT NULL,
    readme character varying,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    target_views bigint,
    target_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    readme_updated_at timestamp with time zone,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL
);

CREATE TABLE content_groups (
    id uuid NOT NULL CONSTRAINT pk_content_groups PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_content_groups_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_content_groups_project_id_projects REFERENCES projects,
    title character varying NOT NULL,
    notes character varying,
    created_by uuid CONSTRAINT fk_content_groups_created_by_users REFERENCES users,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE conversion_events (
    id uuid NOT NULL CONSTRAINT pk_conversion_events PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_conversion_events_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_conversion_events_project_id_projects REFERENCES projects,
    key character varying NOT NULL CONSTRAINT ck_conversion_events_key_lower CHECK (((key)::text = lower((key)::text))),
    name character varying NOT NULL,
    description character varying,
    default_value_cents bigint DEFAULT '0'::bigint NOT NULL CONSTRAINT ck_conversion_events_default_value_cents CHECK ((default_value_cents >= 0)),
    currency character varying DEFAULT 'USD'::character varying NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT uq_conversion_events_project_id_key UNIQUE (project_id, key)
);

CREATE TABLE creators (
    id uuid NOT NULL CONSTRAINT pk_creators PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_creators_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_creators_project_id_projects REFERENCES projects,
    display_name character varying,
    readme character varying,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    removed_at timestamp with time zone,
    deactivated_at timestamp with time zone,
    deactivated_by uuid CONSTRAINT fk_creators_deactivated_by_users REFERENCES users,
    deactivation_video_choice character varying,
    deactivation_reason character varying,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    readme_updated_at timestamp with time zone,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL
);

CREATE TABLE desk_sessions (
    token_hash bytea NOT NULL CONSTRAINT pk_desk_sessions PRIMARY KEY CONSTRAINT ck_desk_sessions_token_hash_length CHECK ((octet_length(token_hash) = 32)),
    user_id uuid NOT NULL CONSTRAINT fk_desk_sessions_user_id_users REFERENCES users,
    password_seal bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE handled_comments (
    comment_id uuid NOT NULL CONSTRAINT pk_handled_comments PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_handled_comments_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_handled_comments_project_id_projects REFERENCES projects,
    handled_at timestamp with time zone NOT NULL,
    handled_by uuid CONSTRAINT fk_handled_comments_handled_by_users REFERENCES users
);

CREATE TABLE invitations (
    id uuid NOT NULL CONSTRAINT pk_invitations PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_invitations_organization_id_organizations REFERENCES organizations,
    email character varying NOT NULL,
    role character varying NOT NULL CONSTRAINT ck_invitations_role CHECK ((role IN ('admin', 'member'))),
    status character varying DEFAULT 'pending'::character varying NOT NULL CONSTRAINT ck_invitations_status CHECK ((status IN ('pending', 'accepted', 'revoked'))),
    token_hash bytea NOT NULL CONSTRAINT uq_invitations_token_hash UNIQUE CONSTRAINT ck_invitations_token_hash_length CHECK ((octet_length(token_hash) = 32)),
    invited_by_user_id uuid NOT NULL CONSTRAINT fk_invitations_invited_by_user_id_users REFERENCES users,
    accepted_by_user_id uuid CONSTRAINT fk_invitations_accepted_by_user_id_users REFERENCES users,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE members (
    organization_id uuid NOT NULL CONSTRAINT fk_members_organization_id_organizations REFERENCES organizations,
    user_id uuid NOT NULL CONSTRAINT fk_members_user_id_users REFERENCES users,
    role character varying NOT NULL CONSTRAINT ck_members_role CHECK ((role IN ('admin', 'member'))),
    readme character varying,
    joined_at timestamp with time zone NOT NULL,
    readme_updated_at timestamp with time zone,
    CONSTRAINT pk_members PRIMARY KEY (organization_id, user_id)
);

CREATE TABLE oauth_grants (
    id uuid NOT NULL CONSTRAINT pk_oauth_grants PRIMARY KEY,
    client_id uuid NOT NULL CONSTRAINT fk_oauth_grants_client_id_oauth_clients REFERENCES oauth_clients,
    organization_id uuid NOT NULL CONSTRAINT fk_oauth_grants_organization_id_organizations REFERENCES organizations,
    user_id uuid NOT NULL CONSTRAINT fk_oauth_grants_user_id_users REFERENCES users,
    scopes character varying[] NOT NULL,
    resource character varying NOT NULL,
    redirect_uri character varying NOT NULL,
    code_hash bytea NOT NULL CONSTRAINT uq_oauth_grants_code_hash UNIQUE CONSTRAINT ck_oauth_grants_code_hash_length CHECK ((octet_length(code_hash) = 32)),
    code_challenge character varying NOT NULL,
    expires_at timestamp with time zone CONSTRAINT oauth_grants_code_expires_at_not_null NOT NULL,
    code_used_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone
);

CREATE TABLE passkey_challenges (
    token_hash bytea NOT NULL CONSTRAINT pk_passkey_challenges PRIMARY KEY CONSTRAINT ck_passkey_challenges_token_hash_length CHECK ((octet_length(token_hash) = 32)),
    user_id uuid CONSTRAINT fk_passkey_challenges_user_id_users REFERENCES users,
    challenge bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE passkeys (
    id uuid NOT NULL CONSTRAINT pk_passkeys PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT fk_passkeys_user_id_users REFERENCES users,
    name character varying NOT NULL,
    credential_id bytea NOT NULL CONSTRAINT uq_passkeys_credential_id UNIQUE,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone
);

CREATE TABLE payout_hold_releases (
    accrual_id uuid NOT NULL,
    anomaly_id uuid NOT NULL,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_hold_releases_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_payout_hold_releases_project_id_projects REFERENCES projects,
    reason character varying NOT NULL,
    released_at timestamp with time zone NOT NULL,
    released_by uuid CONSTRAINT fk_payout_hold_releases_released_by_users REFERENCES users,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT pk_payout_hold_releases PRIMARY KEY (accrual_id, anomaly_id)
);

CREATE TABLE payout_simulations (
    id uuid NOT NULL CONSTRAINT pk_payout_simulations PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_simulations_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_payout_simulations_project_id_projects REFERENCES projects,
    structure_id uuid,
    rule jsonb NOT NULL,
    creators uuid[] NOT NULL,
    from_day date NOT NULL,
    to_day date NOT NULL,
    timezone character varying NOT NULL,
    status character varying DEFAULT 'queued'::character varying NOT NULL CONSTRAINT ck_payout_simulations_status CHECK ((status IN ('queued', 'running', 'succeeded', 'failed'))),
    error character varying,
    publication_id uuid,
    as_of timestamp with time zone,
    creators_done integer DEFAULT 0 NOT NULL,
    periods integer DEFAULT 0 NOT NULL,
    videos integer DEFAULT 0 NOT NULL,
    simulated_cents bigint DEFAULT '0'::bigint NOT NULL,
    in_force_cents bigint DEFAULT '0'::bigint NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    lease_expires_at timestamp with time zone,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    held_cents bigint,
    decisions character varying,
    CONSTRAINT ck_payout_simulations_error CHECK ((((status)::text = 'failed'::text) = (error IS NOT NULL)))
);

CREATE TABLE payout_structures (
    id uuid NOT NULL CONSTRAINT pk_payout_structures PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_structures_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_payout_structures_project_id_projects REFERENCES projects,
    name character varying NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    archived_at timestamp with time zone,
    readme character varying,
    readme_updated_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    timezone character varying,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL
);

CREATE TABLE shard_assignments (
    id uuid NOT NULL CONSTRAINT pk_shard_assignments PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_shard_assignments_organization_id_organizations REFERENCES organizations,
    project_id uuid CONSTRAINT fk_shard_assignments_project_id_projects REFERENCES projects ON DELETE CASCADE,
    shard character varying NOT NULL CONSTRAINT fk_shard_assignments_shard_shards REFERENCES shards,
    served_by character varying NOT NULL CONSTRAINT fk_shard_assignments_served_by_shards REFERENCES shards
);

CREATE TABLE tags (
    id uuid NOT NULL CONSTRAINT pk_tags PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_tags_organization_id_organizations REFERENCES organizations,
    entity_type character varying NOT NULL CONSTRAINT ck_tags_entity_type CHECK ((entity_type IN ('creator', 'campaign', 'account', 'video'))),
    name character varying NOT NULL,
    name_key character varying NOT NULL,
    color character varying CONSTRAINT ck_tags_color CHECK ((color IN ('gray', 'blue', 'green', 'orange', 'purple', 'pink', 'red', 'yellow'))),
    created_by uuid CONSTRAINT fk_tags_created_by_users REFERENCES users,
    created_via character varying NOT NULL CONSTRAINT ck_tags_created_via CHECK ((created_via IN ('ui', 'api', 'mcp'))),
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    usage_count integer DEFAULT 0 NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT uq_tags_organization_id_entity_type_name_key UNIQUE (organization_id, entity_type, name_key)
);

CREATE TABLE webhook_deliveries (
    endpoint_id uuid NOT NULL CONSTRAINT fk_webhook_deliveries_endpoint_id_webhook_endpoints REFERENCES webhook_endpoints ON DELETE CASCADE,
    event_id uuid NOT NULL CONSTRAINT fk_webhook_deliveries_event_id_webhook_events REFERENCES webhook_events ON DELETE CASCADE,
    organization_id uuid NOT NULL CONSTRAINT fk_webhook_deliveries_organization_id_organizations REFERENCES organizations,
    entity character varying NOT NULL,
    sequence bigint NOT NULL,
    status character varying DEFAULT 'pending'::character varying NOT NULL CONSTRAINT ck_webhook_deliveries_status CHECK ((status IN ('pending', 'delivered', 'failed'))),
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    first_attempt_at timestamp with time zone,
    last_attempt_at timestamp with time zone,
    answered integer,
    answer character varying,
    error character varying,
    delivered_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT pk_webhook_deliveries PRIMARY KEY (endpoint_id, event_id)
);

CREATE TABLE accounts (
    id uuid NOT NULL CONSTRAINT pk_accounts PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_accounts_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_accounts_project_id_projects REFERENCES projects,
    creator_id uuid NOT NULL CONSTRAINT fk_accounts_creator_id_creators REFERENCES creators,
    platform character varying NOT NULL CONSTRAINT ck_accounts_platform CHECK ((platform IN ('tiktok', 'instagram'))),
    handle character varying NOT NULL CONSTRAINT ck_accounts_handle_lower CHECK (((handle)::text = lower((handle)::text))),
    platform_user_id character varying,
    platform_alt_id character varying,
    display_name character varying,
    avatar_url character varying,
    bio_link character varying,
    is_private boolean,
    tracking_mode character varying DEFAULT 'auto'::character varying NOT NULL CONSTRAINT ck_accounts_tracking_mode CHECK ((tracking_mode IN ('auto', 'selective', 'hashtag'))),
    tracking_hashtags character varying[] DEFAULT '{}'::character varying[] NOT NULL,
    hashtag_inbox_non_matching boolean DEFAULT true NOT NULL,
    tracking_start_date date,
    tracking_end_date date,
    is_active boolean DEFAULT true NOT NULL,
    removed_at timestamp with time zone,
    deactivated_at timestamp with time zone,
    deactivated_by uuid CONSTRAINT fk_accounts_deactivated_by_users REFERENCES users,
    deactivated_via_cascade boolean DEFAULT false NOT NULL,
    deactivation_video_choice character varying,
    deactivation_reason character varying,
    last_scraped_at timestamp with time zone,
    last_discovered_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    profile_outcome character varying,
    profile_looked_at timestamp with time zone,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    listing jsonb,
    CONSTRAINT ck_accounts_tracking_window CHECK ((tracking_end_date >= tracking_start_date))
);

CREATE TABLE audit_entries (
    id uuid NOT NULL CONSTRAINT pk_audit_entries PRIMARY KEY,
    at timestamp with time zone NOT NULL,
    channel character varying NOT NULL CONSTRAINT ck_audit_entries_channel CHECK ((channel IN ('api', 'mcp', 'page', 'cli'))),
    action character varying NOT NULL,
    ids jsonb NOT NULL,
    organization_id uuid CONSTRAINT fk_audit_entries_organization_id_organizations REFERENCES organizations,
    user_id uuid CONSTRAINT fk_audit_entries_user_id_users REFERENCES users,
    api_key_id uuid CONSTRAINT fk_audit_entries_api_key_id_api_keys REFERENCES api_keys,
    request_id character varying
);

CREATE TABLE look_deadlines (
    creator_id uuid NOT NULL CONSTRAINT fk_look_deadlines_creator_id_creators REFERENCES creators ON DELETE CASCADE,
    ends_at timestamp with time zone NOT NULL,
    organization_id uuid NOT NULL CONSTRAINT fk_look_deadlines_organization_id_organizations REFERENCES organizations,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT pk_look_deadlines PRIMARY KEY (creator_id, ends_at)
);

CREATE TABLE oauth_tokens (
    token_hash bytea NOT NULL CONSTRAINT pk_oauth_tokens PRIMARY KEY CONSTRAINT ck_oauth_tokens_token_hash_length CHECK ((octet_length(token_hash) = 32)),
    grant_id uuid NOT NULL CONSTRAINT fk_oauth_tokens_grant_id_oauth_grants REFERENCES oauth_grants ON DELETE CASCADE,
    kind character varying NOT NULL CONSTRAINT ck_oauth_tokens_kind CHECK ((kind IN ('access', 'refresh'))),
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    scopes character varying[] NOT NULL
);

CREATE TABLE payout_accounts (
    creator_id uuid NOT NULL CONSTRAINT pk_payout_accounts PRIMARY KEY CONSTRAINT fk_payout_accounts_creator_id_creators REFERENCES creators,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_accounts_organization_id_organizations REFERENCES organizations,
    payout_method_id uuid NOT NULL CONSTRAINT fk_payout_accounts_payout_method_id_payout_methods REFERENCES payout_methods,
    details_encrypted bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE payout_accrual_decisions (
    accrual_id uuid NOT NULL CONSTRAINT pk_payout_accrual_decisions PRIMARY KEY,
    decision character varying CONSTRAINT ck_payout_accrual_decisions_decision CHECK ((decision IN ('approved', 'void'))),
    note character varying,
    decided_at timestamp with time zone NOT NULL,
    decided_by uuid CONSTRAINT fk_payout_accrual_decisions_decided_by_users REFERENCES users,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    version_id uuid NOT NULL,
    version_number integer NOT NULL,
    criteria_type character varying NOT NULL,
    period_start date NOT NULL,
    period_end date NOT NULL,
    subject_id uuid,
    view_count bigint,
    kind character varying NOT NULL,
    adjusts_accrual_id uuid,
    adjustment_number integer,
    booked_in date,
    currency character varying NOT NULL,
    amount_cents bigint NOT NULL,
    precise_amount numeric(38,9) NOT NULL,
    limited_by character varying,
    timezone character varying NOT NULL,
    reason character varying,
    evidence jsonb NOT NULL,
    computed_at timestamp with time zone NOT NULL,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_accrual_decisions_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_payout_accrual_decisions_project_id_projects REFERENCES projects,
    structure_id uuid NOT NULL CONSTRAINT fk_payout_accrual_decisions_structure_id_payout_structures REFERENCES payout_structures,
    creator_id uuid NOT NULL CONSTRAINT fk_payout_accrual_decisions_creator_id_creators REFERENCES creators
);

CREATE TABLE payout_assignments (
    id uuid NOT NULL CONSTRAINT pk_payout_assignments PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_assignments_organization_id_organizations REFERENCES organizations,
    structure_id uuid NOT NULL CONSTRAINT fk_payout_assignments_structure_id_payout_structures REFERENCES payout_structures,
    creator_id uuid NOT NULL CONSTRAINT fk_payout_assignments_creator_id_creators REFERENCES creators,
    start_date date NOT NULL,
    end_date date,
    ended_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT ck_payout_assignments_days CHECK ((end_date >= start_date))
);

CREATE TABLE payout_budgets (
    id uuid NOT NULL CONSTRAINT pk_payout_budgets PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_budgets_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_payout_budgets_project_id_projects REFERENCES projects,
    campaign_id uuid CONSTRAINT fk_payout_budgets_campaign_id_campaigns REFERENCES campaigns ON DELETE CASCADE,
    structure_id uuid CONSTRAINT fk_payout_budgets_structure_id_payout_structures REFERENCES payout_structures ON DELETE CASCADE,
    name character varying NOT NULL,
    amount_cents bigint NOT NULL CONSTRAINT ck_payout_budgets_amount_cents CHECK ((amount_cents > 0)),
    period character varying CONSTRAINT ck_payout_budgets_period CHECK (((period)::text = 'monthly'::text)),
    thresholds integer[] NOT NULL,
    on_exceeded character varying NOT NULL CONSTRAINT ck_payout_budgets_on_exceeded CHECK ((on_exceeded IN ('warn', 'stop_assignments'))),
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT ck_payout_budgets_scope CHECK (((campaign_id IS NULL) OR (structure_id IS NULL)))
);

CREATE TABLE payout_disputes (
    id uuid NOT NULL CONSTRAINT pk_payout_disputes PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_disputes_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_payout_disputes_project_id_projects REFERENCES projects,
    creator_id uuid NOT NULL CONSTRAINT fk_payout_disputes_creator_id_creators REFERENCES creators,
    structure_id uuid NOT NULL CONSTRAINT fk_payout_disputes_structure_id_payout_structures REFERENCES payout_structures,
    accrual_id uuid NOT NULL,
    period_start date NOT NULL,
    period_end date NOT NULL,
    currency character varying NOT NULL,
    amount_cents bigint NOT NULL,
    state character varying DEFAULT 'open'::character varying NOT NULL CONSTRAINT ck_payout_disputes_state CHECK ((state IN ('open', 'answered', 'corrected', 'rejected'))),
    reason character varying NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    opened_by uuid CONSTRAINT fk_payout_disputes_opened_by_users REFERENCES users,
    due_at timestamp with time zone NOT NULL,
    answer character varying,
    answered_at timestamp with time zone,
    answered_by uuid CONSTRAINT fk_payout_disputes_answered_by_users REFERENCES users,
    resolved_at timestamp with time zone,
    resolved_by uuid CONSTRAINT fk_payout_disputes_resolved_by_users REFERENCES users,
    correction_id uuid,
    correction_cents bigint,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    adjustments jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT ck_payout_disputes_answer CHECK ((((state)::text = 'open'::text) = (answer IS NULL))),
    CONSTRAINT ck_payout_disputes_correction CHECK ((((state)::text = 'corrected'::text) = (correction_cents IS NOT NULL))),
    CONSTRAINT ck_payout_disputes_resolved CHECK (((state IN ('corrected', 'rejected')) = (resolved_at IS NOT NULL)))
);

CREATE TABLE payout_pauses (
    id uuid NOT NULL CONSTRAINT pk_payout_pauses PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_pauses_organization_id_organizations REFERENCES organizations,
    creator_id uuid NOT NULL CONSTRAINT fk_payout_pauses_creator_id_creators REFERENCES creators,
    paused_at timestamp with time zone NOT NULL,
    paused_by uuid CONSTRAINT fk_payout_pauses_paused_by_users REFERENCES users,
    restarted_at timestamp with time zone,
    restarted_by uuid CONSTRAINT fk_payout_pauses_restarted_by_users REFERENCES users,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT ck_payout_pauses_stretch CHECK ((restarted_at >= paused_at))
);

CREATE TABLE payout_payments (
    id uuid NOT NULL CONSTRAINT pk_payout_payments PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_payments_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_payout_payments_project_id_projects REFERENCES projects,
    creator_id uuid NOT NULL CONSTRAINT fk_payout_payments_creator_id_creators REFERENCES creators,
    payout_method_id uuid NOT NULL CONSTRAINT fk_payout_payments_payout_method_id_payout_methods REFERENCES payout_methods,
    amount_cents bigint NOT NULL CONSTRAINT ck_payout_payments_amount_cents CHECK ((amount_cents >= 0)),
    currency character varying DEFAULT 'USD'::character varying NOT NULL,
    status character varying NOT NULL CONSTRAINT ck_payout_payments_status CHECK ((status IN ('pending', 'paid', 'failed', 'void'))),
    is_on_account boolean DEFAULT false NOT NULL,
    paid_at timestamp with time zone,
    reference character varying,
    receipt_path character varying,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    readme character varying,
    readme_updated_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE payout_simulation_creators (
    simulation_id uuid NOT NULL CONSTRAINT fk_payout_simulation_creators_simulation_id_payout_simulations REFERENCES payout_simulations ON DELETE CASCADE,
    place integer NOT NULL,
    creator_id uuid NOT NULL,
    simulated_cents bigint NOT NULL,
    in_force_cents bigint NOT NULL,
    periods_before integer NOT NULL,
    periods integer NOT NULL,
    videos_before integer NOT NULL,
    videos integer NOT NULL,
    told jsonb NOT NULL,
    held_cents bigint,
    CONSTRAINT pk_payout_simulation_creators PRIMARY KEY (simulation_id, place)
);

CREATE TABLE report_links (
    id uuid NOT NULL CONSTRAINT pk_report_links PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_report_links_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_report_links_project_id_projects REFERENCES projects,
    campaign_id uuid CONSTRAINT fk_report_links_campaign_id_campaigns REFERENCES campaigns ON DELETE CASCADE,
    shared_by_user_id uuid NOT NULL CONSTRAINT fk_report_links_shared_by_user_id_users REFERENCES users,
    show_creators boolean NOT NULL,
    expires_at timestamp with time zone,
    pin_encrypted bytea NOT NULL,
    pin_id uuid NOT NULL,
    failed_unlocks integer DEFAULT 0 NOT NULL,
    locked_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);

CREATE TABLE share_links (
    creator_id uuid NOT NULL CONSTRAINT pk_share_links PRIMARY KEY CONSTRAINT fk_share_links_creator_id_creators REFERENCES creators,
    organization_id uuid NOT NULL CONSTRAINT fk_share_links_organization_id_organizations REFERENCES organizations,
    is_enabled boolean DEFAULT true NOT NULL,
    show_analytics boolean NOT NULL,
    show_payouts boolean NOT NULL,
    pin_encrypted bytea NOT NULL,
    failed_unlocks integer DEFAULT 0 NOT NULL,
    locked_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    pin_id uuid NOT NULL,
    CONSTRAINT ck_share_links_sections CHECK ((show_analytics OR show_payouts))
);

CREATE TABLE tag_items (
    tag_id uuid NOT NULL CONSTRAINT fk_tag_items_tag_id_tags REFERENCES tags ON DELETE CASCADE,
    item_id uuid NOT NULL,
    organization_id uuid NOT NULL CONSTRAINT fk_tag_items_organization_id_organizations REFERENCES organizations,
    created_at timestamp with time zone NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT pk_tag_items PRIMARY KEY (tag_id, item_id)
);

CREATE TABLE account_connections (
    id uuid NOT NULL CONSTRAINT pk_account_connections PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_account_connections_organization_id_organizations REFERENCES organizations,
    account_id uuid NOT NULL CONSTRAINT uq_account_connections_account_id UNIQUE CONSTRAINT fk_account_connections_account_id_accounts REFERENCES accounts,
    platform character varying NOT NULL CONSTRAINT ck_account_connections_platform CHECK ((platform IN ('tiktok', 'instagram'))),
    subject character varying NOT NULL,
    scopes character varying[] NOT NULL,
    tokens_encrypted bytea NOT NULL,
    access_expires_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    connected_at timestamp with time zone NOT NULL,
    broken_at timestamp with time zone,
    broken_reason character varying CONSTRAINT ck_account_connections_broken_reason CHECK ((broken_reason IN ('expired', 'revoked'))),
    ended_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    refused_since timestamp with time zone,
    retry_at timestamp with time zone,
    CONSTRAINT ck_account_connections_broken CHECK (((broken_at IS NULL) = (broken_reason IS NULL)))
);

CREATE TABLE account_deactivations (
    id uuid NOT NULL CONSTRAINT pk_account_deactivations PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_account_deactivations_organization_id_organizations REFERENCES organizations,
    account_id uuid NOT NULL CONSTRAINT fk_account_deactivations_account_id_accounts REFERENCES accounts,
    deactivated_at timestamp with time zone NOT NULL,
    deactivated_by uuid CONSTRAINT fk_account_deactivations_deactivated_by_users REFERENCES users,
    via_creator boolean NOT NULL,
    video_choice character varying NOT NULL CONSTRAINT ck_account_deactivations_video_choice CHECK ((video_choice IN ('keep_tracking', 'freeze', 'stop_tracking'))),
    reason character varying,
    reactivated_at timestamp with time zone,
    reactivated_by uuid CONSTRAINT fk_account_deactivations_reactivated_by_users REFERENCES users,
    missed_posts character varying CONSTRAINT ck_account_deactivations_missed_posts CHECK ((missed_posts IN ('inbox', 'track', 'ignore'))),
    existing_videos character varying CONSTRAINT ck_account_deactivations_existing_videos CHECK ((existing_videos IN ('resume', 'keep', 'stop'))),
    note character varying,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT ck_account_deactivations_stretch CHECK ((reactivated_at >= deactivated_at)),
    CONSTRAINT uq_account_deactivations_account_id_deactivated_at UNIQUE (account_id, deactivated_at)
);

CREATE TABLE account_profile_changes (
    id uuid NOT NULL CONSTRAINT pk_account_profile_changes PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_account_profile_changes_organization_id_organizations REFERENCES organizations,
    account_id uuid NOT NULL CONSTRAINT fk_account_profile_changes_account_id_accounts REFERENCES accounts,
    observed_at timestamp with time zone NOT NULL,
    changes jsonb NOT NULL,
    CONSTRAINT uq_account_profile_changes_account_id_observed_at UNIQUE (account_id, observed_at)
);

CREATE TABLE change_entries (
    id uuid NOT NULL CONSTRAINT pk_change_entries PRIMARY KEY,
    audit_entry_id uuid NOT NULL CONSTRAINT fk_change_entries_audit_entry_id_audit_entries REFERENCES audit_entries DEFERRABLE INITIALLY DEFERRED,
    organization_id uuid CONSTRAINT fk_change_entries_organization_id_organizations REFERENCES organizations,
    entity_type character varying NOT NULL,
    entity_id uuid NOT NULL,
    kind character varying NOT NULL CONSTRAINT ck_change_entries_kind CHECK ((kind IN ('created', 'changed', 'deleted', 'notes'))),
    changes jsonb NOT NULL,
    changed_at timestamp with time zone NOT NULL
);

CREATE TABLE connect_attempts (
    state_hash bytea NOT NULL CONSTRAINT pk_connect_attempts PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_connect_attempts_organization_id_organizations REFERENCES organizations,
    account_id uuid NOT NULL CONSTRAINT fk_connect_attempts_account_id_accounts REFERENCES accounts,
    browser_hash bytea NOT NULL,
    verifier_encrypted bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE goal_states (
    id uuid NOT NULL CONSTRAINT pk_goal_states PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_goal_states_organization_id_organizations REFERENCES organizations,
    goal_id uuid NOT NULL,
    project_id uuid NOT NULL CONSTRAINT fk_goal_states_project_id_projects REFERENCES projects,
    creator_id uuid NOT NULL CONSTRAINT fk_goal_states_creator_id_creators REFERENCES creators,
    metric character varying NOT NULL,
    period character varying NOT NULL,
    target_value bigint NOT NULL,
    start_date date,
    end_date date,
    is_active boolean NOT NULL,
    platform_scope character varying NOT NULL,
    platform character varying,
    account_id uuid CONSTRAINT fk_goal_states_account_id_accounts REFERENCES accounts,
    is_deleted boolean NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT uq_goal_states_goal_id_valid_from UNIQUE (goal_id, valid_from)
);

CREATE TABLE goals (
    id uuid NOT NULL CONSTRAINT pk_goals PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_goals_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_goals_project_id_projects REFERENCES projects,
    creator_id uuid NOT NULL CONSTRAINT fk_goals_creator_id_creators REFERENCES creators,
    metric character varying NOT NULL CONSTRAINT ck_goals_metric CHECK ((metric IN ('posts', 'views', 'engagement', 'followers'))),
    period character varying NOT NULL CONSTRAINT ck_goals_period CHECK ((period IN ('daily', 'weekly', 'monthly'))),
    target_value bigint NOT NULL CONSTRAINT ck_goals_target_value CHECK ((target_value > 0)),
    start_date date,
    end_date date,
    is_active boolean DEFAULT true NOT NULL,
    platform_scope character varying DEFAULT 'all'::character varying NOT NULL,
    platform character varying,
    account_id uuid CONSTRAINT fk_goals_account_id_accounts REFERENCES accounts,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_goals_days CHECK ((end_date >= start_date)),
    CONSTRAINT ck_goals_scope CHECK ( CASE platform_scope WHEN 'all'::text THEN ((platform IS NULL) AND (account_id IS NULL)) WHEN 'platform'::text THEN ((platform IS NOT NULL) AND (account_id IS NULL)) WHEN 'account'::text THEN ((platform IS NULL) AND (account_id IS NOT NULL)) ELSE false END)
);

CREATE TABLE payout_payment_accruals (
    payment_id uuid NOT NULL CONSTRAINT fk_payout_payment_accruals_payment_id_payout_payments REFERENCES payout_payments,
    accrual_id uuid NOT NULL,
    is_live boolean DEFAULT true NOT NULL,
    frozen_at timestamp with time zone NOT NULL,
    released_at timestamp with time zone,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    version_id uuid NOT NULL,
    version_number integer NOT NULL,
    criteria_type character varying NOT NULL,
    period_start date NOT NULL,
    period_end date NOT NULL,
    subject_id uuid,
    view_count bigint,
    kind character varying NOT NULL,
    adjusts_accrual_id uuid,
    adjustment_number integer,
    booked_in date,
    currency character varying NOT NULL,
    amount_cents bigint NOT NULL,
    precise_amount numeric(38,9) NOT NULL,
    limited_by character varying,
    timezone character varying NOT NULL,
    reason character varying,
    evidence jsonb NOT NULL,
    computed_at timestamp with time zone NOT NULL,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_payment_accruals_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_payout_payment_accruals_project_id_projects REFERENCES projects,
    structure_id uuid NOT NULL CONSTRAINT fk_payout_payment_accruals_structure_id_payout_structures REFERENCES payout_structures,
    creator_id uuid NOT NULL CONSTRAINT fk_payout_payment_accruals_creator_id_creators REFERENCES creators,
    CONSTRAINT pk_payout_payment_accruals PRIMARY KEY (payment_id, accrual_id)
);

CREATE TABLE payout_versions (
    id uuid NOT NULL CONSTRAINT pk_payout_versions PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_payout_versions_organization_id_organizations REFERENCES organizations,
    structure_id uuid NOT NULL CONSTRAINT fk_payout_versions_structure_id_payout_structures REFERENCES payout_structures,
    number integer NOT NULL CONSTRAINT ck_payout_versions_number CHECK ((number >= 1)),
    period character varying CONSTRAINT ck_payout_versions_period CHECK ((period IN ('daily', 'weekly', 'monthly'))),
    amount_cents bigint CONSTRAINT ck_payout_versions_amount_cents CHECK ((amount_cents >= 0)),
    currency character varying DEFAULT 'USD'::character varying NOT NULL,
    criteria_type character varying NOT NULL CONSTRAINT ck_payout_versions_criteria_type CHECK ((criteria_type IN ('recurring', 'goals', 'cpm', 'view_threshold', 'conversion'))),
    criteria_params jsonb NOT NULL,
    proration_mode character varying NOT NULL CONSTRAINT ck_payout_versions_proration_mode CHECK ((proration_mode IN ('skip', 'prorate', 'full'))),
    backfill_on_assignment boolean DEFAULT false NOT NULL,
    period_anchor integer CONSTRAINT ck_payout_versions_period_anchor CHECK (((period_anchor >= 1) AND (period_anchor <= 7))),
    platform_scope character varying DEFAULT 'all'::character varying NOT NULL,
    platform character varying,
    account_id uuid CONSTRAINT fk_payout_versions_account_id_accounts REFERENCES accounts,
    created_at timestamp with time zone NOT NULL,
    created_by uuid CONSTRAINT fk_payout_versions_created_by_users REFERENCES users,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    hold_anomalies boolean DEFAULT false NOT NULL,
    CONSTRAINT ck_payout_versions_scope CHECK ( CASE platform_scope WHEN 'all'::text THEN ((platform IS NULL) AND (account_id IS NULL)) WHEN 'platform'::text THEN ((platform IS NOT NULL) AND (account_id IS NULL)) WHEN 'account'::text THEN ((platform IS NULL) AND (account_id IS NOT NULL)) ELSE false END),
    CONSTRAINT uq_payout_versions_structure_id_number UNIQUE (structure_id, number)
);

CREATE TABLE videos (
    id uuid NOT NULL CONSTRAINT pk_videos PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_videos_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_videos_project_id_projects REFERENCES projects,
    creator_id uuid CONSTRAINT fk_videos_creator_id_creators REFERENCES creators,
    account_id uuid CONSTRAINT fk_videos_account_id_accounts REFERENCES accounts,
    platform character varying NOT NULL CONSTRAINT ck_videos_platform CHECK ((platform IN ('tiktok', 'instagram'))),
    platform_video_id character varying NOT NULL,
    url character varying NOT NULL,
    custom_title character varying,
    caption character varying,
    readme character varying,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    thumbnail_url character varying,
    media_type character varying,
    duration_seconds integer,
    tracking_status character varying NOT NULL CONSTRAINT ck_videos_tracking_status CHECK ((tracking_status IN ('auto_tracked', 'pending_review', 'included', 'excluded', 'direct_add'))),
    tracking_disabled boolean DEFAULT false NOT NULL,
    tracking_disabled_at timestamp with time zone,
    tracking_exempted boolean DEFAULT false NOT NULL,
    plan_limit_paused_at timestamp with time zone,
    frozen_at timestamp with time zone,
    stopped_at timestamp with time zone,
    posted_at timestamp with time zone,
    posted_at_is_estimate boolean DEFAULT false NOT NULL,
    last_scraped_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    readme_updated_at timestamp with time zone,
    content_group_id uuid CONSTRAINT fk_videos_content_group_id_content_groups REFERENCES content_groups ON DELETE SET NULL,
    author_handle character varying,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT ck_videos_posted_at_is_estimate CHECK (((posted_at IS NOT NULL) OR (NOT posted_at_is_estimate))),
    CONSTRAINT uq_videos_project_id_platform_platform_video_id UNIQUE (project_id, platform, platform_video_id)
);

CREATE TABLE campaign_items (
    id uuid NOT NULL CONSTRAINT pk_campaign_items PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_campaign_items_organization_id_organizations REFERENCES organizations,
    campaign_id uuid NOT NULL CONSTRAINT fk_campaign_items_campaign_id_campaigns REFERENCES campaigns,
    creator_id uuid CONSTRAINT fk_campaign_items_creator_id_creators REFERENCES creators,
    video_id uuid CONSTRAINT fk_campaign_items_video_id_videos REFERENCES videos,
    child_campaign_id uuid CONSTRAINT fk_campaign_items_child_campaign_id_campaigns REFERENCES campaigns,
    created_at timestamp with time zone NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT ck_campaign_items_not_itself CHECK ((child_campaign_id <> campaign_id)),
    CONSTRAINT ck_campaign_items_one_member CHECK ((num_nonnulls(creator_id, video_id, child_campaign_id) = 1)),
    CONSTRAINT uq_campaign_items_campaign_id_child_campaign_id UNIQUE (campaign_id, child_campaign_id),
    CONSTRAINT uq_campaign_items_campaign_id_creator_id UNIQUE (campaign_id, creator_id),
    CONSTRAINT uq_campaign_items_campaign_id_video_id UNIQUE (campaign_id, video_id)
);

CREATE TABLE comment_collections (
    video_id uuid NOT NULL CONSTRAINT pk_comment_collections PRIMARY KEY CONSTRAINT fk_comment_collections_video_id_videos REFERENCES videos,
    organization_id uuid NOT NULL CONSTRAINT fk_comment_collections_organization_id_organizations REFERENCES organizations,
    walked_at timestamp with time zone NOT NULL,
    outcome character varying NOT NULL,
    failures integer NOT NULL,
    due_at timestamp with time zone
);

CREATE TABLE conversions (
    id uuid NOT NULL CONSTRAINT pk_conversions PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_conversions_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_conversions_project_id_projects REFERENCES projects,
    conversion_event_id uuid NOT NULL CONSTRAINT fk_conversions_conversion_event_id_conversion_events REFERENCES conversion_events,
    target_type character varying NOT NULL CONSTRAINT ck_conversions_target_type CHECK ((target_type IN ('creator', 'account', 'video'))),
    creator_id uuid NOT NULL CONSTRAINT fk_conversions_creator_id_creators REFERENCES creators,
    account_id uuid CONSTRAINT fk_conversions_account_id_accounts REFERENCES accounts,
    video_id uuid CONSTRAINT fk_conversions_video_id_videos REFERENCES videos,
    value_cents bigint NOT NULL CONSTRAINT ck_conversions_value_cents CHECK ((value_cents >= 0)),
    quantity integer NOT NULL CONSTRAINT ck_conversions_quantity CHECK (((quantity >= 1) AND (quantity <= 1000000))),
    total_value_cents bigint GENERATED ALWAYS AS ((value_cents * quantity)) STORED NOT NULL,
    external_id character varying,
    source character varying,
    label character varying,
    note character varying,
    metadata jsonb NOT NULL,
    voided_at timestamp with time zone,
    voided_reason character varying,
    occurred_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL
);

CREATE TABLE post_looks (
    video_id uuid NOT NULL CONSTRAINT pk_post_looks PRIMARY KEY CONSTRAINT fk_post_looks_video_id_videos REFERENCES videos ON DELETE CASCADE,
    organization_id uuid NOT NULL CONSTRAINT fk_post_looks_organization_id_organizations REFERENCES organizations,
    platform character varying NOT NULL,
    platform_video_id character varying NOT NULL,
    subject character varying NOT NULL,
    looked_at timestamp with time zone,
    read_at timestamp with time zone,
    views bigint,
    views_a_day double precision,
    due_at timestamp with time zone NOT NULL,
    reason character varying NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE scrape_jobs (
    id uuid NOT NULL CONSTRAINT pk_scrape_jobs PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_scrape_jobs_organization_id_organizations REFERENCES organizations,
    project_id uuid NOT NULL CONSTRAINT fk_scrape_jobs_project_id_projects REFERENCES projects,
    account_id uuid CONSTRAINT fk_scrape_jobs_account_id_accounts REFERENCES accounts,
    video_id uuid CONSTRAINT fk_scrape_jobs_video_id_videos REFERENCES videos,
    job_type character varying NOT NULL CONSTRAINT ck_scrape_jobs_job_type CHECK ((job_type IN ('creator_profiles', 'video_stats', 'discover_videos'))),
    is_manual boolean DEFAULT false NOT NULL,
    status character varying DEFAULT 'queued'::character varying NOT NULL CONSTRAINT ck_scrape_jobs_status CHECK ((status IN ('queued', 'running', 'succeeded', 'failed'))),
    error character varying,
    videos_seen integer,
    attempts integer DEFAULT 0 NOT NULL,
    lease_expires_at timestamp with time zone,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    not_before timestamp with time zone,
    CONSTRAINT ck_scrape_jobs_one_target CHECK ((num_nonnulls(account_id, video_id) = 1))
);

CREATE TABLE video_owners (
    id uuid NOT NULL CONSTRAINT pk_video_owners PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_video_owners_organization_id_organizations REFERENCES organizations,
    video_id uuid NOT NULL CONSTRAINT fk_video_owners_video_id_videos REFERENCES videos,
    account_id uuid CONSTRAINT fk_video_owners_account_id_accounts REFERENCES accounts,
    creator_id uuid CONSTRAINT fk_video_owners_creator_id_creators REFERENCES creators,
    valid_from timestamp with time zone NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT uq_video_owners_video_id_valid_from UNIQUE (video_id, valid_from)
);

CREATE TABLE video_statuses (
    id uuid NOT NULL CONSTRAINT pk_video_statuses PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT fk_video_statuses_organization_id_organizations REFERENCES organizations,
    video_id uuid NOT NULL CONSTRAINT fk_video_statuses_video_id_videos REFERENCES videos,
    tracking_status character varying NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    changed_by bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    CONSTRAINT uq_video_statuses_video_id_valid_from UNIQUE (video_id, valid_from)
);

CREATE INDEX ix_account_connections_subject ON account_connections USING btree (platform, subject);
CREATE INDEX ix_accounts_listed ON accounts USING btree (organization_id, created_at, id);
CREATE INDEX ix_accounts_platform_handle ON accounts USING btree (platform, handle);
CREATE INDEX ix_accounts_platform_user ON accounts USING btree (platform, platform_user_id);
CREATE INDEX ix_annotations_entity_id_at ON annotations USING btree (entity_id, at);
CREATE INDEX ix_audit_entries_organization_at ON audit_entries USING btree (organization_id, at);
CREATE INDEX ix_campaign_items_child_campaign_id ON campaign_items USING btree (child_campaign_id);
CREATE INDEX ix_campaign_items_video_id ON campaign_items USING btree (video_id);
CREATE INDEX ix_change_entries_audit_entry_id ON change_entries USING btree (audit_entry_id);
CREATE INDEX ix_change_entries_entity ON change_entries USING btree (entity_type, entity_id);
CREATE INDEX ix_comment_collections_due ON comment_collections USING btree (organization_id, due_at);
CREATE INDEX ix_comment_collections_walked ON comment_collections USING btree (organization_id, walked_at);
CREATE INDEX ix_conversions_account_id_occurred_at ON conversions USING btree (account_id, occurred_at, id) WHERE (account_id IS NOT NULL);
CREATE INDEX ix_conversions_creator_id_occurred_at ON conversions USING btree (creator_id, occurred_at, id);
CREATE INDEX ix_conversions_event_occurred_at ON conversions USING btree (conversion_event_id, occurred_at, id);
CREATE INDEX ix_conversions_project_id_occurred_at ON conversions USING btree (project_id, occurred_at, id);
CREATE INDEX ix_conversions_video_id_occurred_at ON conversions USING btree (video_id, occurred_at, id) WHERE (video_id IS NOT NULL);
CREATE INDEX ix_creators_listed ON creators USING btree (organization_id, created_at, id);
CREATE INDEX ix_departures_changed_by ON departures USING btree (changed_by);
CREATE INDEX ix_goals_creator_id_created_at ON goals USING btree (creator_id, created_at, id);
CREATE INDEX ix_idempotency_outcomes_created_at ON idempotency_outcomes USING btree (created_at);
CREATE INDEX ix_look_deadlines_changed_by ON look_deadlines USING btree (changed_by);
CREATE INDEX ix_oauth_clients_let_in_at_created_at ON oauth_clients USING btree (let_in_at, created_at);
CREATE INDEX ix_oauth_grants_client_id ON oauth_grants USING btree (client_id);
CREATE INDEX ix_oauth_tokens_grant_id ON oauth_tokens USING btree (grant_id);
CREATE INDEX ix_payout_accounts_payout_method_id ON payout_accounts USING btree (payout_method_id);
CREATE INDEX ix_payout_accrual_decisions_adjusts ON payout_accrual_decisions USING btree (adjusts_accrual_id);
CREATE INDEX ix_payout_budgets_campaign_id ON payout_budgets USING btree (campaign_id);
CREATE INDEX ix_payout_budgets_organization_id_created_at ON payout_budgets USING btree (organization_id, created_at, id);
CREATE INDEX ix_payout_disputes_accrual_id ON payout_disputes USING btree (accrual_id);
CREATE INDEX ix_payout_disputes_organization_id_opened_at ON payout_disputes USING btree (organization_id, opened_at, id);
CREATE INDEX ix_payout_payment_accruals_accrual_id ON payout_payment_accruals USING btree (accrual_id);
CREATE INDEX ix_payout_payment_accruals_adjusts ON payout_payment_accruals USING btree (adjusts_accrual_id);
CREATE INDEX ix_payout_payments_creator_id_created_at ON payout_payments USING btree (creator_id, created_at, id);
CREATE INDEX ix_payout_payments_organization_id_created_at ON payout_payments USING btree (organization_id, created_at, id);
CREATE INDEX ix_payout_payments_payout_method_id ON payout_payments USING btree (payout_method_id);
CREATE INDEX ix_payout_simulations_open ON payout_simulations USING btree (created_at) WHERE (status IN ('queued', 'running'));
CREATE INDEX ix_payout_simulations_organization_id_created_at ON payout_simulations USING btree (organization_id, created_at, id);
CREATE INDEX ix_post_looks_post ON post_looks USING btree (platform, platform_video_id);
CREATE INDEX ix_post_looks_subject ON post_looks USING btree (platform, subject);
CREATE INDEX ix_post_pictures_due ON post_pictures USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX ix_provider_runs_started_at ON provider_runs USING btree (started_at);
CREATE INDEX ix_report_links_campaign_id ON report_links USING btree (campaign_id);
CREATE INDEX ix_report_links_shared_by_user_id ON report_links USING btree (shared_by_user_id);
CREATE INDEX ix_scrape_jobs_account_id ON scrape_jobs USING btree (account_id);
CREATE INDEX ix_scrape_jobs_open ON scrape_jobs USING btree (created_at) WHERE (status IN ('queued', 'running'));
CREATE INDEX ix_scrape_jobs_video_id ON scrape_jobs USING btree (video_id);
CREATE INDEX ix_shard_assignments_served_by ON shard_assignments USING btree (served_by);
CREATE INDEX ix_shard_assignments_shard ON shard_assignments USING btree (shard);
CREATE INDEX ix_shown_changes_shard ON shown_changes USING btree (shard);
CREATE INDEX ix_sign_in_failures_tried_at ON sign_in_failures USING btree (tried_at);
CREATE INDEX ix_tag_items_item_id ON tag_items USING btree (item_id);
CREATE INDEX ix_videos_account_id ON videos USING btree (account_id);
CREATE INDEX ix_videos_grouped ON videos USING btree (content_group_id) WHERE (content_group_id IS NOT NULL);
CREATE INDEX ix_videos_listed ON videos USING btree (organization_id, created_at, id);
CREATE INDEX ix_videos_noted ON videos USING btree (organization_id) WHERE (readme IS NOT NULL);
CREATE INDEX ix_videos_of_nobody ON videos USING btree (project_id, platform, author_handle) WHERE (account_id IS NULL);
CREATE INDEX ix_videos_platform_post ON videos USING btree (platform, platform_video_id);
CREATE INDEX ix_videos_tracked ON videos USING btree (organization_id, posted_at, created_at, id) WHERE ((tracking_status IN ('auto_tracked', 'included', 'direct_add')) AND (tracking_disabled IS FALSE) AND (plan_limit_paused_at IS NULL) AND (frozen_at IS NULL) AND (stopped_at IS NULL));
CREATE INDEX ix_videos_waiting ON videos USING btree (project_id, created_at, id) WHERE ((tracking_status)::text = 'pending_review'::text);
CREATE INDEX ix_visits_due ON visits USING btree (platform, due_at);
CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries USING btree (endpoint_id, next_attempt_at) WHERE ((status)::text = 'pending'::text);
CREATE INDEX ix_webhook_deliveries_endpoint_id_created_at ON webhook_deliveries USING btree (endpoint_id, created_at);
CREATE INDEX ix_webhook_deliveries_event_id ON webhook_deliveries USING btree (event_id);
CREATE INDEX ix_webhook_deliveries_pending ON webhook_deliveries USING btree (endpoint_id, entity, sequence) WHERE ((status)::text = 'pending'::text);
CREATE INDEX ix_webhook_events_created_at ON webhook_events USING btree (created_at);
CREATE INDEX ix_webhook_events_organization_id_created_at ON webhook_events USING btree (organization_id, created_at);
CREATE UNIQUE INDEX ix_registered_batches_batch_seq ON registered_batches USING btree (batch_seq);
CREATE UNIQUE INDEX uq_account_deactivations_open ON account_deactivations USING btree (account_id) WHERE (reactivated_at IS NULL);
CREATE UNIQUE INDEX uq_accounts_tracked_handle ON accounts USING btree (project_id, platform, handle) WHERE is_active;
CREATE UNIQUE INDEX uq_conversions_external_id ON conversions USING btree (project_id, external_id) WHERE (external_id IS NOT NULL);
CREATE UNIQUE INDEX uq_payout_disputes_unresolved ON payout_disputes USING btree (accrual_id) WHERE (resolved_at IS NULL);
CREATE UNIQUE INDEX uq_payout_pauses_open ON payout_pauses USING btree (creator_id) WHERE (restarted_at IS NULL);
CREATE UNIQUE INDEX uq_payout_payment_accruals_live ON payout_payment_accruals USING btree (accrual_id) WHERE is_live;
CREATE UNIQUE INDEX uq_shard_assignments_organization_id_project_id ON shard_assignments USING btree (organization_id, project_id) NULLS NOT DISTINCT;
CREATE UNIQUE INDEX uq_users_email_lower ON users USING btree (lower((email)::text));

CREATE TRIGGER count_tags_again AFTER UPDATE OF is_active ON accounts FOR EACH ROW WHEN (((NOT old.is_active) AND new.is_active)) EXECUTE FUNCTION count_tags_of_item('account', '1');
CREATE TRIGGER count_tags_again AFTER UPDATE OF is_active ON creators FOR EACH ROW WHEN (((NOT old.is_active) AND new.is_active)) EXECUTE FUNCTION count_tags_of_item('creator', '1');
CREATE TRIGGER count_tags_again AFTER UPDATE OF tracking_status ON videos FOR EACH ROW WHEN (((NOT ((old.tracking_status)::text <> 'excluded'::text)) AND ((new.tracking_status)::text <> 'excluded'::text))) EXECUTE FUNCTION count_tags_of_item('video', '1');
CREATE TRIGGER count_tags_no_more AFTER UPDATE OF is_active ON accounts FOR EACH ROW WHEN ((old.is_active AND (NOT new.is_active))) EXECUTE FUNCTION count_tags_of_item('account', '-1');
CREATE TRIGGER count_tags_no_more AFTER UPDATE OF is_active ON creators FOR EACH ROW WHEN ((old.is_active AND (NOT new.is_active))) EXECUTE FUNCTION count_tags_of_item('creator', '-1');
CREATE TRIGGER count_tags_no_more AFTER UPDATE OF tracking_status ON videos FOR EACH ROW WHEN ((((old.tracking_status)::text <> 'excluded'::text) AND (NOT ((new.tracking_status)::text <> 'excluded'::text)))) EXECUTE FUNCTION count_tags_of_item('video', '-1');
CREATE TRIGGER note_freshness BEFORE UPDATE OF freshness ON organizations FOR EACH ROW WHEN (((old.freshness)::text IS DISTINCT FROM (new.freshness)::text)) EXECUTE FUNCTION note_writer();

DO $do$
declare
    columns text;
    tables text;
    indexed text;
    copied record;
    written text;
begin
    for columns, tables in values
        ('organization_id',
            'account_connections account_deactivations annotations api_keys campaign_items campaigns '
            'content_groups conversion_events goals handled_comments invitations oauth_grants '
            'payout_accounts payout_assignments payout_hold_releases payout_methods payout_pauses '
            'payout_structures payout_versions projects report_links scrape_jobs share_links tag_items '
            'webhook_endpoints'),
        ('creator_id',
            'accounts campaign_items payout_accrual_decisions payout_assignments payout_disputes '
            'payout_pauses payout_payment_accruals videos'),
        ('project_id',
            'accounts campaigns content_groups creators goals handled_comments payout_budgets '
            'payout_disputes payout_hold_releases payout_payments payout_simulations payout_structures '
            'report_links shard_assignments'),
        ('expires_at',
            'connect_attempts desk_sessions oauth_grants passkey_challenges payout_simulations'),
        ('user_id',
            'desk_sessions members oauth_grants passkey_challenges passkeys'),
        ('structure_id',
            'payout_accrual_decisions payout_assignments payout_budgets payout_disputes '
            'payout_payment_accruals')
    loop
        foreach indexed in array string_to_array(tables, ' ') loop
            execute format('create index ix_%1$s_%2$s on %1$s (%2$s)', indexed, columns);
        end loop;
    end loop;
    for copied in values
        ('account_deactivations', 'id', 'account_id, deactivated_at, reactivated_at'),
        ('accounts', 'id', 'id, organization_id, project_id, creator_id, platform, handle, platform_user_id, display_name, is_active, removed_at, deactivated_at, last_scraped_at, last_discovered_at, created_at'),
        ('campaign_items', 'id', 'campaign_id, creator_id, video_id, child_campaign_id, created_at'),
        ('campaigns', 'id', 'id, organization_id, project_id, name, created_at'),
        ('comment_settings', 'organization_id', 'organization_id, min_comment_count, brand_terms, competitor_terms'),
        ('conversion_events', 'id', 'id, organization_id, project_id, name, currency, is_active, created_at, key'),
        ('conversions', 'id', 'id, organization_id, project_id, conversion_event_id, target_type, creator_id, account_id, video_id, value_cents, quantity, total_value_cents, source, label, voided_at, occurred_at, created_at'),
        ('creators', 'id', 'id, organization_id, project_id, display_name, is_active, removed_at, deactivated_at, created_at'),
        ('goal_states', 'id', 'id, goal_id, organization_id, project_id, creator_id, metric, period, target_value, start_date, end_date, is_active, platform_scope, platform, account_id, is_deleted, valid_from'),
        ('organization_conversion_payouts', 'id', 'organization_id, is_enabled, valid_from'),
        ('organization_zones', 'id', 'organization_id, analytics_tz, valid_from'),
        ('organizations', 'id', 'id, name, plan, analytics_tz, is_suspended, payout_settling_days, conversion_payouts_enabled, created_at'),
        ('payout_accrual_decisions', 'accrual_id', 'accrual_id, decision, note, decided_at, organization_id, project_id, structure_id, version_id, version_number, creator_id, criteria_type, period_start, period_end, subject_id, view_count, kind, adjusts_accrual_id, adjustment_number, booked_in, currency, amount_cents, precise_amount, limited_by, timezone, reason, computed_at'),
        ('payout_assignments', 'id', 'id, organization_id, structure_id, creator_id, start_date, end_date'),
        ('payout_budgets', 'id', 'id, organization_id, project_id, campaign_id, structure_id, name, amount_cents, period, thresholds, on_exceeded, created_at'),
        ('payout_disputes', 'id', 'id, organization_id, project_id, creator_id, structure_id, accrual_id, period_start, period_end, currency, amount_cents, state, opened_at, opened_by, due_at, answered_at, resolved_at, correction_id, correction_cents'),
        ('payout_hold_releases', 'accrual_id, anomaly_id', 'accrual_id, anomaly_id, organization_id, project_id, released_at'),
        ('payout_pauses', 'id', 'id, organization_id, creator_id, paused_at, restarted_at'),
        ('payout_payment_accruals', 'payment_id, accrual_id', 'payment_id, accrual_id, is_live, frozen_at, released_at, organization_id, project_id, structure_id, version_id, version_number, creator_id, criteria_type, period_start, period_end, subject_id, view_count, kind, adjusts_accrual_id, adjustment_number, booked_in, currency, amount_cents, precise_amount, limited_by, timezone, reason, computed_at'),
        ('payout_payments', 'id', 'id, organization_id, project_id, creator_id, amount_cents, currency, status, paid_at, created_at'),
        ('payout_structures', 'id', 'id, organization_id, project_id, name, is_active, archived_at, timezone, created_at'),
        ('payout_versions', 'id', 'id, organization_id, structure_id, number, period, amount_cents, criteria_type, criteria_params, proration_mode, backfill_on_assignment, period_anchor, platform_scope, platform, account_id, created_at, hold_anomalies'),
        ('projects', 'id', 'id, organization_id, name, is_archived, created_at'),
        ('tag_items', 'tag_id, item_id', 'tag_id, item_id, organization_id, created_at'),
        ('tags', 'id', 'id, organization_id, entity_type, name, color, created_at'),
        ('video_owners', 'id', 'video_id, account_id, creator_id, valid_from'),
        ('video_statuses', 'id', 'id, video_id, tracking_status, valid_from'),
        ('videos', 'id', 'id, organization_id, project_id, creator_id, account_id, platform, platform_video_id, url, caption, media_type, duration_seconds, tracking_status, tracking_disabled, plan_limit_paused_at, frozen_at, stopped_at, posted_at, posted_at_is_estimate, created_at, custom_title')
    loop
        execute format(
            'create trigger note_departures after delete on %s referencing old table as gone'
            ' for each statement execute function note_departures(%L)', copied.column1, copied.column2
        );
        execute format('create index ix_%1$s_changed_by on %1$s (changed_by)', copied.column1);
        execute format(
            'create trigger note_emptied after truncate on %s'
            ' for each statement execute function note_emptied()', copied.column1
        );
        execute format(
            'create trigger note_unpublished_change after insert or delete or update of %s on %s'
            ' for each statement execute function note_unpublished_change()', copied.column3, copied.column1
        );
        written := replace(copied.column3, 'total_value_cents, ', ''); -- is generated
        execute format(
            'create trigger note_writer before update of %s on %s for each row'
            ' when ((%s) is distinct from (%s)) execute function note_writer()',
            written, copied.column1,
            regexp_replace(written, '\w+', 'old.\&', 'g'),
            regexp_replace(written, '\w+', 'new.\&', 'g')
        );
        execute format(
            'create trigger refuse_another_key before update of %s on %s for each row'
            ' when ((%s) is distinct from (%s)) execute function refuse_another_key()',
            copied.column2, copied.column1,
            regexp_replace(copied.column2, '\w+', 'old.\&', 'g'),
            regexp_replace(copied.column2, '\w+', 'new.\&', 'g')
        );
    end loop;
end
$do$;

INSERT INTO unpublished_changes (table_name) VALUES ('videos');
