-- The ledger: one row for each recipient. Claiming moves due_at behind the lease and counts the attempt; holder is the node that
-- has the row, attempts fences a worker that comes back too late. A row that is not waiting any more never changes again.
create table deliveries (
  team_id uuid not null,
  email_id uuid not null,
  -- The place among to, cc and bcc, in this order.
  position smallint not null,
  recipient text not null,
  state text not null default 'waiting' constraint deliveries_state_known
    check (state in ('waiting', 'delivered', 'bounced', 'suppressed', 'failed', 'canceled')),
  -- 0 before 1: a password reset never waits behind a newsletter.
  priority smallint not null default 0,
  due_at timestamptz not null,
  give_up_at timestamptz not null,
  attempts smallint not null default 0,
  holder integer,
  -- What the other side said, attempt by attempt.
  replies jsonb not null default '[]',
  settled_at timestamptz,
  primary key (team_id, email_id, position),
  foreign key (team_id, email_id) references emails (team_id, id) on delete cascade,
  constraint deliveries_settled_iff_final check ((settled_at is not null) = (state <> 'waiting')),
  constraint deliveries_held_only_waiting check (holder is null or state = 'waiting')
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create index deliveries_due on deliveries (priority, due_at) where state = 'waiting';
create index deliveries_held on deliveries (holder) where holder is not null;
