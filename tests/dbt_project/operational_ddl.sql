-- The columns of operational.* that the models read, as warehouse/raw/operational_copy leaves them.
create schema if not exists operational;
create table if not exists operational.organizations (id uuid, name varchar, plan varchar, analytics_tz varchar, is_suspended boolean, payout_settling_days integer, conversion_payouts_enabled boolean, created_at timestamptz);
create table if not exists operational.organization_zones (organization_id uuid, analytics_tz varchar, valid_from timestamptz);
create table if not exists operational.projects (id uuid, organization_id uuid, name varchar, is_archived boolean, created_at timestamptz);
create table if not exists operational.creators (id uuid, organization_id uuid, project_id uuid, display_name varchar, is_active boolean, removed_at timestamptz, deactivated_at timestamptz, created_at timestamptz);
create table if not exists operational.accounts (id uuid, organization_id uuid, project_id uuid, creator_id uuid, platform varchar, handle varchar, platform_user_id varchar, display_name varchar, is_active boolean, removed_at timestamptz, deactivated_at timestamptz, last_scraped_at timestamptz, last_discovered_at timestamptz, created_at timestamptz);
create table if not exists operational.videos (id uuid, organization_id uuid, project_id uuid, creator_id uuid, account_id uuid, platform varchar, platform_video_id varchar, url varchar, caption varchar, media_type varchar, duration_seconds integer, tracking_status varchar, tracking_disabled boolean, plan_limit_paused_at timestamptz, frozen_at timestamptz, stopped_at timestamptz, posted_at timestamptz, posted_at_is_estimate boolean, created_at timestamptz);
create table if not exists operational.video_owners (video_id uuid, account_id uuid, creator_id uuid, valid_from timestamptz);
create table if not exists operational.video_statuses (id uuid, video_id uuid, tracking_status varchar, valid_from timestamptz);
create table if not exists operational.campaigns (id uuid, organization_id uuid, project_id uuid, name varchar, created_at timestamptz);
create table if not exists operational.campaign_items (campaign_id uuid, creator_id uuid, video_id uuid, child_campaign_id uuid, created_at timestamptz);
create table if not exists operational.account_deactivations (account_id uuid, deactivated_at timestamptz, reactivated_at timestamptz);
create table if not exists operational.goal_states (id uuid, goal_id uuid, organization_id uuid, project_id uuid, creator_id uuid, metric varchar, period varchar, target_value bigint, start_date date, end_date date, is_active boolean, platform_scope varchar, platform varchar, account_id uuid, is_deleted boolean, valid_from timestamptz);
create table if not exists operational.conversion_events (id uuid, organization_id uuid, project_id uuid, name varchar, currency varchar, is_active boolean, created_at timestamptz);
create table if not exists operational.conversions (id uuid, organization_id uuid, project_id uuid, conversion_event_id uuid, target_type varchar, creator_id uuid, account_id uuid, video_id uuid, value_cents bigint, quantity integer, total_value_cents bigint, source varchar, label varchar, voided_at timestamptz, occurred_at timestamptz, created_at timestamptz);
create table if not exists operational.zone_offsets (zone varchar, starts_at timestamptz, ends_at timestamptz, utc_offset_seconds integer);
