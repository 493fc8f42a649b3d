-- Deliveries that are posted straight from their events: one row for those of one fan-out and one webhook, as long as the node that holds them has not settled
-- all of them. Each gets its row in webhook_deliveries when its first attempt is known, so that what goes well is written once.
create table webhook_batches (
  team_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  holder integer not null,
  claimed_at timestamptz not null,
  event_ids uuid[] not null,
  primary key (webhook_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table webhook_batches is
  'Deliveries that are posted straight from their events, by fan-out and webhook. Those that are settled are in webhook_deliveries; the row goes with the last one.';
comment on column webhook_batches.holder is 'The node that posts them; the row of the node is the lease.';

-- What came of an attempt that was the first and went well is in the row of its delivery: an attempt of its own is 200 bytes with its key.
alter table webhook_deliveries
  add column attempt_id uuid,
  add column http_status_code smallint,
  add column response text,
  add column duration_ms integer,
  add column sent_at timestamptz,
  add constraint webhook_deliveries_attempt_is_whole check (num_nulls(attempt_id, http_status_code, response, duration_ms, sent_at) in (0, 5)) not valid;

comment on column webhook_deliveries.attempt_id is 'The first attempt, if it went well: it is not in webhook_attempts then.';

-- An update of a delivery is never within its page alone (its indexes name when it is due and who holds it), so there is nothing to keep a third of a page free for.
alter table webhook_deliveries reset (fillfactor);
