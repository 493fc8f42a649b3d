-- Ceilings that operators set while the service runs. Those of the program and of POSTWREN_CEILINGS are not here.
create table delivery_ceilings (
  id uuid primary key,
  provider text,
  site text,
  domain text,
  source text,
  ceilings jsonb not null constraint delivery_ceilings_object check (jsonb_typeof(ceilings) = 'object'),
  reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
comment on table delivery_ceilings is 'The most that destinations get of us. What fits all that a row names gets its values; of several the most specific one counts.';
comment on column delivery_ceilings.ceilings is 'As in the file of POSTWREN_CEILINGS: connections, messages_per_connection, rate, tls and timeouts.';
create unique index delivery_ceilings_scope on delivery_ceilings
  (coalesce(provider, ''), coalesce(site, ''), coalesce(domain, ''), coalesce(source, ''));
