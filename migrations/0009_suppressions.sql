create table suppressions (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  email text not null,
  origin text not null constraint suppressions_origin_known check (origin in ('bounce', 'complaint', 'manual')),
  -- The email that caused it; nothing caused a manual one.
  source_id uuid,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint suppressions_source_iff_caused check ((source_id is null) = (origin = 'manual'))
);

create unique index suppressions_email_unique on suppressions (team_id, lower(email));
