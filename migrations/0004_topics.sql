create table topics (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  name text not null,
  description text,
  default_subscription text not null
    constraint topics_default_known check (default_subscription in ('opt_in', 'opt_out')),
  visibility text not null constraint topics_visibility_known check (visibility in ('public', 'private')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id)
);
