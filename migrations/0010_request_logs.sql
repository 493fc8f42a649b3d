-- Every call of the API, written in batches after the answer. Bodies are text and not json: they are only ever handed back,
-- and checking them again on the way in would cost more than storing them.
create table request_logs (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  method text not null,
  endpoint text not null,
  response_status integer not null,
  user_agent text,
  request_body text,
  response_body text,
  created_at timestamptz not null,
  primary key (team_id, id)
);

create index request_logs_by_age on request_logs (created_at);
