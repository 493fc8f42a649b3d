-- What the secret key leaves behind, so that a process with another key notices before it seals or opens anything. One row.
create table secret_key_mark (
  is_only boolean primary key default true constraint secret_key_mark_is_one check (is_only),
  mark bytea not null
);

-- The names that mail comes from and goes to. `checks` holds what the DNS said about each needed record, and since when:
-- {"DKIM postwren": {"status": "verified", "since": "…"}}; status and the two is_…_verified are its sum, kept beside it so that
-- a list and a send need not add it up.
create table domains (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  name text not null constraint domains_name_is_ascii check (name ~ '^[a-z0-9.-]+$'),
  region text not null,
  status text not null default 'not_started' constraint domains_status_known
    check (status in ('not_started', 'pending', 'verified', 'failed', 'partially_verified', 'partially_failed')),
  return_path text not null,
  tracking_subdomain text,
  open_tracking boolean not null,
  click_tracking boolean not null,
  tls text not null constraint domains_tls_known check (tls in ('opportunistic', 'enforced')),
  sending boolean not null,
  receiving boolean not null,
  checks jsonb not null default '{}',
  is_sending_verified boolean not null default false,
  is_tracking_verified boolean not null default false,
  next_check_at timestamptz,
  -- Stands for a domain that another team has until the claim on it is settled.
  is_placeholder boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint domains_can_something check (sending or receiving),
  constraint domains_return_path_is_free check (tracking_subdomain is distinct from return_path),
  constraint domains_once_a_team unique (team_id, name)
);

-- A name belongs to one team of the installation.
create unique index domains_name_unique on domains (name) where not is_placeholder;
create index domains_due on domains (next_check_at) where next_check_at is not null;

-- The private half is sealed with the secret key, bound to its domain and selector; the other half is what the DNS publishes.
create table domain_keys (
  team_id uuid not null,
  domain_id uuid not null,
  selector text not null,
  public_record text not null,
  private_key bytea not null,
  created_at timestamptz not null default now(),
  primary key (team_id, domain_id, selector),
  foreign key (team_id, domain_id) references domains (team_id, id) on delete cascade
);

-- Takes a domain over from another team. domain_id is the placeholder; it is no reference, because a claim that ended without
-- success outlives it.
create table domain_claims (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  domain_id uuid not null,
  name text not null,
  region text not null,
  -- What was asked for: asking the same again is the same claim.
  options jsonb not null,
  token text not null,
  status text not null default 'pending' constraint domain_claims_status_known
    check (status in ('pending', 'blocked', 'completed', 'expired', 'superseded', 'canceled')),
  blocked_reason text constraint domain_claims_blocked_reason_known check (blocked_reason in ('pending_scheduled_emails')),
  next_check_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (team_id, id),
  constraint domain_claims_reason_iff_blocked check ((blocked_reason is not null) = (status = 'blocked')),
  constraint domain_claims_checked_iff_open check ((next_check_at is not null) = (status in ('pending', 'blocked')))
);

create index domain_claims_by_domain on domain_claims (team_id, domain_id);
create index domain_claims_due on domain_claims (next_check_at) where next_check_at is not null;
create unique index domain_claims_one_open on domain_claims (team_id, name) where status in ('pending', 'blocked');

-- A key that may send from one domain only ends with it: without the domain it would have to be good for none or for all.
alter table api_keys
  add column domain_id uuid,
  add constraint api_keys_domain_exists foreign key (team_id, domain_id) references domains (team_id, id) on delete cascade,
  add constraint api_keys_bound_only_to_send check (domain_id is null or permission = 'sending_access');

create index api_keys_by_domain on api_keys (team_id, domain_id) where domain_id is not null;
