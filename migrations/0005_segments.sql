-- An audience of the older API is a segment: one table, one id space.
create table segments (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  name text not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
);
