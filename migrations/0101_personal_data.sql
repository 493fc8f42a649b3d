-- What it takes to erase a person: the key of the digests that stay of addresses, and how far each request has come.
create table digest_keys (
  is_only boolean primary key default true constraint digest_keys_is_one check (is_only),
  sealed_key bytea not null
);

comment on table digest_keys is
  'One row: the key of the digests that stay of erased addresses, sealed with the secret key. It stays the same when that one changes, since nobody can make the digests again.';

create table personal_data_requests (
  id uuid primary key,
  team_id uuid references teams (id) on delete cascade,
  action text not null constraint personal_data_requests_action_known check (action in ('report', 'export', 'erase')),
  status text not null default 'queued'
    constraint personal_data_requests_status_known check (status in ('queued', 'running', 'completed', 'failed')),
  digest text not null,
  sealed_address bytea,
  reached jsonb,
  rows_searched bigint not null default 0,
  counts jsonb not null default '{}',
  file text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  completed_at timestamptz,
  constraint personal_data_requests_address_until_completed check ((sealed_address is null) = (completed_at is not null))
);

create index personal_data_requests_by_team on personal_data_requests (team_id, id) where team_id is not null;
create index personal_data_requests_open on personal_data_requests (digest) where completed_at is null;

comment on table personal_data_requests is
  'Searches for the data of a person, and their erasure. Each goes through all tables in the order of their keys and goes on where it was.';
comment on column personal_data_requests.team_id is 'Null: of the whole installation.';
comment on column personal_data_requests.digest is 'Of the address: all that is kept of it when the request is completed.';
comment on column personal_data_requests.sealed_address is 'The address, sealed with the secret key, while it is searched for.';
comment on column personal_data_requests.reached is 'Where it is: the number of the pass, the table, and the key of the last row that was looked at.';
comment on column personal_data_requests.counts is 'Rows by table and by what was done: found, deleted, redacted.';
comment on column personal_data_requests.file is 'The key of what was exported. A blob that no row holds on to: it is removed within a day, and in no backup.';
