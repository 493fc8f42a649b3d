-- People, who sign in without passwords.
create table users (
  id uuid primary key,
  email text not null,
  name text not null default '',
  -- Sees all teams of the installation, and sets their limits.
  is_operator boolean not null default false,
  created_at timestamptz not null,
  last_signed_in_at timestamptz
);
create unique index users_by_email on users (lower(email));
comment on table users is 'People. They sign in with a passkey, a link by mail or an OpenID provider; there are no passwords.';

create table passkeys (
  user_id uuid not null references users (id) on delete cascade,
  id uuid not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (user_id, id),
  constraint passkeys_credential_unique unique (credential_id)
);
comment on table passkeys is 'What people have registered to sign in with: the public half of a key that their device keeps.';

create table sign_in_links (
  token_sha256 bytea primary key,
  email text not null,
  -- link: sent by mail. terminal: made by the operator, and whoever uses it is made a user.
  method text not null check (method in ('link', 'terminal')),
  -- Set: the link proves afresh that it is still the same person in this session, and opens no other.
  session_id uuid,
  -- Set: whoever uses it becomes an owner of this team.
  owner_of uuid references teams (id) on delete cascade,
  makes_operator boolean not null default false,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sign_in_links_by_email on sign_in_links (email);
create index sign_in_links_by_end on sign_in_links (expires_at);
comment on table sign_in_links is 'Links that sign in once, by the digest of their token. A used one is deleted.';

create table spent_challenges (
  sha256 bytea primary key,
  expires_at timestamptz not null
);
create index spent_challenges_by_end on spent_challenges (expires_at);
comment on table spent_challenges is 'Challenges that a passkey has answered, until they are too old anyway: no answer counts twice.';

create table oidc_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users (id) on delete cascade,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
create index oidc_identities_by_user on oidc_identities (user_id);
comment on table oidc_identities is 'Which person somebody is at an OpenID provider.';

create table user_sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  -- The team that was chosen last; a request may name another one.
  team_id uuid references teams (id) on delete set null,
  method text not null,
  -- When the person has last proven who they are. Dangerous acts ask for a fresh proof.
  verified_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index user_sessions_by_user on user_sessions (user_id, id);
create index user_sessions_by_end on user_sessions (expires_at);
comment on table user_sessions is 'People who are signed in to the dashboard. A session ends by itself when it was not used for a while.';

create table memberships (
  team_id uuid not null references teams (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  created_at timestamptz not null,
  primary key (team_id, user_id)
);
create index memberships_by_user on memberships (user_id, team_id);
comment on table memberships is 'Who belongs to which team, and what they may do there.';

create table invitations (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  token_sha256 bytea not null,
  invited_by uuid references users (id) on delete set null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (team_id, id),
  constraint invitations_token_unique unique (token_sha256)
);
create unique index invitations_by_email on invitations (team_id, lower(email));
comment on table invitations is 'People who were asked to join a team, until they do.';

alter table teams
  -- Viewers do not read what is in messages.
  add column hides_content boolean not null default false,
  add column suspended_at timestamptz,
  add column suspended_reason text,
  -- Everything of the team is deleted then; until then that can be undone.
  add column delete_at timestamptz,
  -- That time has come: what is gone does not come back, so nobody can undo it any more.
  add column is_being_deleted boolean not null default false,
  -- What the installation itself sends: sign-in links and invitations. Nobody is a member, and it has no keys.
  add column is_system boolean not null default false;
create unique index teams_system on teams (is_system) where is_system;
create index teams_to_delete on teams (delete_at) where delete_at is not null;

-- Deletes up to so many rows of a team, from the first table that has any, and tells how many: each call is short, however much there
-- is. The tables are those of the catalog with a team_id, so that none is forgotten; only who has the team set to null outlives it.
-- First come those that refer to others. Two that refer to each other: first the one whose reference does not cascade.
create function delete_slice_of_team(wanted uuid, most integer) returns integer language plpgsql as $$
declare
  one text;
  deleted integer;
begin
  for one in
    with recursive owned as (
      select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped
      where c.relkind = 'r' and pg_table_is_visible(c.oid) and not exists (
        select from pg_constraint f
        where f.contype = 'f' and f.conrelid = c.oid and f.confrelid = 'teams'::regclass and f.confdeltype = 'n')),
    refers as (
      select distinct conrelid as child, confrelid as parent from pg_constraint where contype = 'f' and conrelid <> confrelid),
    ancestors as (
      select child, parent from refers
      union
      select a.child, r.parent from ancestors a join refers r on r.child = a.parent)
    select owned.oid::regclass::text from owned
    order by (select count(*) from ancestors a where a.child = owned.oid and a.parent <> owned.oid) desc,
      (select count(*) from pg_constraint f where f.contype = 'f' and f.conrelid = owned.oid and f.confdeltype = 'a') desc,
      owned.oid::regclass::text
  loop
    execute format(
      'delete from only %1$s where ctid = any (array(select ctid from only %1$s where team_id = $1 limit $2))', one)
      using wanted, most;
    get diagnostics deleted = row_count;
    if deleted > 0 then return deleted; end if;
  end loop;
  return 0;
end $$;

create table team_limits (
  team_id uuid primary key references teams (id) on delete cascade,
  emails_per_day bigint,
  emails_per_month bigint,
  recipients_per_second integer,
  contacts bigint,
  domains integer,
  webhooks integer,
  received_per_day bigint,
  -- Counts the changes: processes look at the sum of all, and read what there is when it is another.
  version integer not null default 1,
  updated_at timestamptz not null
);
comment on table team_limits is 'What the operator allows a team. Null: as much as it likes.';

create index teams_suspended on teams (id) where suspended_at is not null;

create table team_usage (
  team_id uuid not null references teams (id) on delete cascade,
  day date not null,
  -- Those who write at the same time count in rows of their own, so that nobody waits for the commit of another. The sum is what counts.
  -- 0: what was added up.
  slot integer not null,
  sent bigint not null default 0,
  received bigint not null default 0,
  primary key (team_id, day, slot)
) with (fillfactor = 50);
create index team_usage_by_day on team_usage (day);
create index team_usage_to_fold on team_usage (slot) where slot <> 0;
comment on table team_usage is 'Recipients of mail that a team has sent, and messages that it has received, by day (UTC).';

-- Mail of a team that is suspended: set aside when its turn comes, and due again as it was when the team may send again.
alter table deliveries add column suspended_at timestamptz;
drop index deliveries_due;
create index deliveries_due on deliveries (priority, due_at) where state = 'waiting' and holder is null and suspended_at is null;
create index deliveries_suspended on deliveries (team_id) where suspended_at is not null;

alter table api_keys
  add column token_end text,
  add column created_by uuid references users (id) on delete set null,
  add column expires_at timestamptz,
  -- The one that POSTWREN_API_KEY names. When the setting names another, this one is retired.
  add column is_from_settings boolean not null default false;

create table api_key_uses (
  team_id uuid not null,
  key_id uuid not null,
  day date not null,
  requests bigint not null,
  primary key (team_id, key_id, day),
  foreign key (team_id, key_id) references api_keys (team_id, id) on delete cascade
) with (fillfactor = 50);
comment on table api_key_uses is 'How many requests a key has made, by day (UTC).';

create table oauth_clients (
  id text primary key,
  name text not null,
  logo_uri text,
  redirect_uris text[] not null,
  scopes text[] not null,
  grant_types text[] not null,
  -- Null: a public client, which proves itself by PKCE alone.
  secret_sha256 bytea,
  -- registered: by POST /oauth/register. document: its id is the address of its metadata, fetched again after expires_at.
  kind text not null check (kind in ('registered', 'document')),
  created_at timestamptz not null,
  expires_at timestamptz
);
comment on table oauth_clients is 'Programs that ask people for access by OAuth. The ones that ship with us are in the code.';

create table oauth_grants (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  client_id text not null,
  client_name text not null,
  client_logo_uri text,
  scopes text[] not null,
  resource text,
  created_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text,
  primary key (team_id, id)
);
create unique index oauth_grants_by_id on oauth_grants (id);
create index oauth_grants_by_user on oauth_grants (user_id, team_id);
create index oauth_grants_by_client on oauth_grants (client_id);
comment on table oauth_grants is 'Which program a person lets act for them in a team. Revoked ones stay listed.';

create table oauth_codes (
  code_sha256 bytea primary key,
  team_id uuid not null,
  grant_id uuid not null,
  client_id text not null,
  redirect_uri text not null,
  code_challenge text not null,
  scopes text[] not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (team_id, grant_id) references oauth_grants (team_id, id) on delete cascade
);
create index oauth_codes_by_end on oauth_codes (expires_at);
create index oauth_codes_by_grant on oauth_codes (team_id, grant_id);
comment on table oauth_codes is 'Authorization codes, by their digest. Each is good once, for ten minutes.';

create table oauth_refresh_tokens (
  token_sha256 bytea primary key,
  team_id uuid not null,
  grant_id uuid not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Set: another one has taken its place. Using it a minute later revokes the grant.
  rotated_at timestamptz,
  foreign key (team_id, grant_id) references oauth_grants (team_id, id) on delete cascade
);
create index oauth_refresh_tokens_by_grant on oauth_refresh_tokens (team_id, grant_id);
create index oauth_refresh_tokens_by_end on oauth_refresh_tokens (expires_at);
comment on table oauth_refresh_tokens is 'Refresh tokens, by their digest. Each use gives another one.';

create table oauth_keys (
  id text primary key,
  -- A JWK, sealed with the key of the installation.
  private_key bytea not null,
  public_key jsonb not null,
  created_at timestamptz not null
);
comment on table oauth_keys is 'What signs access tokens. The newest signs; older ones verify until no token of theirs is left.';

create table audit_events (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  actor_kind text not null,
  actor_id text,
  -- As it was then: people and keys get other names, and go.
  actor_name text,
  action text not null,
  object_id text,
  details jsonb,
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  primary key (team_id, id)
);
create index audit_events_by_time on audit_events (created_at);
-- What is looked for is rare: what a person did among all that a key does, or who deleted this one domain.
create index audit_events_by_actor on audit_events (team_id, actor_id, id);
create index audit_events_by_action on audit_events (team_id, action, id);
create index audit_events_by_object on audit_events (team_id, object_id, id);
comment on table audit_events is 'Who did what, when and from where, written in the transaction of the change.';

alter table request_logs
  add column actor_kind text,
  add column actor_id uuid;
