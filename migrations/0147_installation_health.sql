-- What was found when the addresses, names and certificates of the installation were examined last.
create table installation_health (
  id boolean primary key default true constraint installation_health_is_one check (id),
  findings jsonb not null,
  checked_at timestamptz not null,
  next_check_at timestamptz not null
);
comment on table installation_health is 'One row at most: what was found when the addresses, names and certificates of the installation were examined last.';
comment on column installation_health.findings is 'As in domain_health.';
