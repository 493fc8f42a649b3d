-- Work to do later. Claiming moves run_at behind the lease, so a claimed job becomes due again by itself when its worker
-- vanishes without a trace; holder is the number of the node that has it, attempts fences late finishers.
create table jobs (
  id uuid primary key,
  name text not null,
  payload jsonb not null,
  run_at timestamptz not null,
  attempts integer not null default 0,
  holder integer,
  dedupe_key text,
  last_error text,
  failed_at timestamptz,
  created_at timestamptz not null default now(),
  constraint jobs_dedupe_unique unique (name, dedupe_key)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create index jobs_due on jobs (run_at) where failed_at is null;
create index jobs_held on jobs (holder) where holder is not null;
