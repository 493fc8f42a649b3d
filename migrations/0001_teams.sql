-- Who owns what. Every other table starts with team_id, and so does every key and every index that serves a list.
create table teams (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default now(),
  constraint teams_name_unique unique (name)
);
