-- What receiving domains say about our mail servers.
alter table domains add column mta_sts text not null default 'off';
alter table domains add constraint domains_mta_sts_known check (mta_sts in ('off', 'testing', 'enforce')) not valid;
comment on column domains.mta_sts is 'The mode of the MTA-STS policy that is served for it while it receives.';

-- What domains that we send to say about their mail servers (MTA-STS), kept for as long as they ask for.
create table mta_sts_policies (
  domain text primary key,
  record_id text not null,
  mode text not null check (mode in ('enforce', 'testing', 'none')),
  mx text[] not null,
  max_age_seconds integer not null,
  fetched_at timestamptz not null,
  expires_at timestamptz not null,
  refresh_at timestamptz not null,
  used_at timestamptz not null
);
comment on table mta_sts_policies is
  'MTA-STS policies of domains that mail was sent to (RFC 8461). All nodes go by them, also while the domain itself cannot be asked.';
comment on column mta_sts_policies.domain is 'In ASCII and lower case.';
comment on column mta_sts_policies.record_id is 'What the TXT record said when the policy was fetched: another id is another policy.';
comment on column mta_sts_policies.mx is 'Names of mail servers; `*.` stands for one label.';
comment on column mta_sts_policies.refresh_at is 'When it is fetched again, well before it expires.';
comment on column mta_sts_policies.used_at is 'When mail went to the domain, by the day. What nobody writes to any more is not fetched again.';
create index mta_sts_policies_by_refresh on mta_sts_policies (refresh_at);
create index mta_sts_policies_by_expiry on mta_sts_policies (expires_at);

-- What the domains that we send to are told about TLS, once a day (TLS-RPT).
create table tls_report_counts (
  day date not null,
  domain text not null,
  policy text not null,
  result text not null,
  mx_host text not null,
  mx_address text not null,
  local_address text not null,
  reason text not null,
  sessions bigint not null,
  primary key (day, domain, policy, result, mx_host, mx_address, local_address, reason)
);
comment on table tls_report_counts is
  'Sessions with mail servers of domains that want reports about them (RFC 8460), added up by day. What is empty is not told.';
comment on column tls_report_counts.day is 'In UTC.';

create table tls_reports (
  day date not null,
  domain text not null,
  sent_at timestamptz not null,
  primary key (day, domain)
);
comment on table tls_reports is 'Reports that were sent, or that nobody wants any more.';
