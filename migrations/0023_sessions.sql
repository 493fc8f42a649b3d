-- Who is signed in to the dashboard. A session belongs to the key that opened it, and goes with it.
create table sessions (
  team_id uuid not null,
  id uuid not null,
  key_id uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (team_id, id),
  foreign key (team_id, key_id) references api_keys (team_id, id) on delete cascade
);

create index sessions_by_key on sessions (team_id, key_id);
