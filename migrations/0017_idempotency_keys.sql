-- One row for each key of a team and an endpoint. Without a response the first request is still at work: holder is its node, and
-- a node that is gone holds nothing.
create table idempotency_keys (
  team_id uuid not null references teams (id) on delete cascade,
  endpoint text not null,
  key text not null,
  body_sha256 bytea not null,
  response json,
  holder integer,
  created_at timestamptz not null,
  primary key (team_id, endpoint, key),
  constraint idempotency_keys_held_or_answered check ((holder is null) = (response is not null))
);

create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Events about an email are its timeline; `about` is the email.
alter table outbox add column about uuid;
create index outbox_about on outbox (team_id, about, id) where about is not null;
