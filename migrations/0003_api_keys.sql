-- The token itself is never stored: a short prefix finds the row, the digest proves the rest.
create table api_keys (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  name text not null,
  permission text not null constraint api_keys_permission_known check (permission in ('full_access', 'sending_access')),
  token_prefix text not null,
  token_sha256 bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  primary key (team_id, id),
  constraint api_keys_token_unique unique (token_sha256)
);

create index api_keys_by_prefix on api_keys (token_prefix);
