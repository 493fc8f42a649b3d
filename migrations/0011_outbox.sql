-- Every fact that the outside may learn, written in the transaction of its cause.
create table outbox (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  type text not null,
  data json not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
);

create index outbox_by_age on outbox (created_at);
