-- What was found when a domain was examined last. Rows are made when a domain is verified.
create table domain_health (
  team_id uuid not null,
  domain_id uuid not null,
  findings jsonb not null,
  has_problem boolean not null default false,
  checked_at timestamptz,
  next_check_at timestamptz not null,
  constraint domain_health_pkey primary key (team_id, domain_id),
  constraint domain_health_domain_fkey foreign key (team_id, domain_id) references domains (team_id, id) on delete cascade
) with (fillfactor = 80);
create index domain_health_due on domain_health (next_check_at);
create index domain_health_with_problem on domain_health (team_id, domain_id) where has_problem;
comment on table domain_health is 'What was found when a domain was examined last: its DNS records, and blocklists.';
comment on column domain_health.findings is 'Objects with check, status, message, since and perhaps the record to publish.';
comment on column domain_health.checked_at is 'Null: not yet.';
