-- Who is to be told what, and where.
create table webhooks (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  endpoint text not null,
  events text[] not null constraint webhooks_want_something check (cardinality(events) > 0),
  status text not null default 'enabled' constraint webhooks_status_known check (status in ('enabled', 'disabled')),
  -- Since when every attempt has failed; null: the last one did not.
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint webhooks_id_unique unique (id)
);

-- All that sign: the current one, and those that it has replaced, each for another day. Sealed with the secret key.
create table webhook_secrets (
  team_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  secret bytea not null,
  expires_at timestamptz,
  primary key (team_id, webhook_id, id),
  foreign key (team_id, webhook_id) references webhooks (team_id, id) on delete cascade
);

create unique index webhook_secrets_one_current on webhook_secrets (team_id, webhook_id) where expires_at is null;

-- Events that somebody wants to hear of and that are not in webhook_deliveries yet. A list of what is to be done and not a cursor
-- into the outbox: events commit in another order than that of their ids, and a cursor would pass by those that come late.
create table webhook_fan_outs (
  team_id uuid not null,
  event_id uuid not null,
  primary key (event_id, team_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- A trigger, so that nobody who writes an event can forget it. Without webhooks it costs a statement some 30 µs. It writes one row
-- for an event and not one for each webhook: accepting mail must not wait for how many there are.
create function note_for_webhooks() returns trigger language plpgsql as $$
begin
  insert into webhook_fan_outs (team_id, event_id)
  select team_id, id from added
  where exists (
    select from webhooks w where w.team_id = added.team_id and w.status = 'enabled' and added.type = any (w.events));
  return null;
end $$;

create trigger outbox_note_for_webhooks after insert on outbox
  referencing new table as added for each statement execute function note_for_webhooks();

-- One row for each event and webhook. Claiming moves due_at behind the lease and counts; holder is the node that has the row, claims
-- fences a worker that comes back too late. There are no references: a webhook is gone at once when it is deleted, and its rows,
-- which can be a million, are swept later.
create table webhook_deliveries (
  team_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  state text not null default 'pending' constraint webhook_deliveries_state_known
    check (state in ('pending', 'success', 'failed')),
  -- Where it is on the ladder of retries; replays are beside it.
  failures smallint not null default 0,
  next_attempt_at timestamptz,
  -- When a worker is to look at it: for the next attempt, for a replay, or because a lease is over. Null: there is nothing to do.
  due_at timestamptz,
  is_replay_wanted boolean not null default false,
  holder integer,
  claims integer not null default 0,
  primary key (team_id, webhook_id, event_id),
  constraint webhook_deliveries_next_iff_pending check ((next_attempt_at is not null) = (state = 'pending')),
  constraint webhook_deliveries_due_while_open
    check (due_at is not null or (state <> 'pending' and not is_replay_wanted and holder is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, event_id) where due_at is not null;
create index webhook_deliveries_held on webhook_deliveries (holder) where holder is not null;

-- What came of each attempt. Without a status nobody answered, and error says why.
create table webhook_attempts (
  team_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  id uuid not null,
  http_status_code smallint,
  response text,
  error text,
  duration_ms integer not null,
  sent_at timestamptz not null,
  primary key (team_id, webhook_id, event_id, id),
  constraint webhook_attempts_answered_or_not check ((http_status_code is null) = (error is not null)),
  constraint webhook_attempts_response_iff_answered check ((http_status_code is null) = (response is null))
);
