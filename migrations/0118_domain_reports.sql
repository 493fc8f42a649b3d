-- What others report about a domain: mail that was sent in its name (DMARC), and TLS of mail that came to it.

create table domain_report_mails (
  id uuid primary key,
  domain_id uuid not null,
  kind text not null check (kind in ('dmarc', 'tls')),
  envelope_from text not null,
  client_address text not null,
  helo text not null,
  raw bytea not null,
  created_at timestamptz not null
);
alter table domain_report_mails alter column raw set storage external;
comment on table domain_report_mails is 'Mail that brought a report about a domain, until it has been read.';

create table domain_reports (
  team_id uuid not null,
  domain_id uuid not null,
  kind text not null check (kind in ('dmarc', 'tls')),
  reporter text not null,
  report_id text not null,
  day date not null,
  policy text check (policy in ('none', 'quarantine', 'reject')),
  messages bigint not null,
  received_at timestamptz not null,
  constraint domain_reports_pkey primary key (team_id, domain_id, kind, day, reporter, report_id),
  constraint domain_reports_domain_fkey foreign key (team_id, domain_id) references domains (team_id, id) on delete cascade
);
create index domain_reports_by_day on domain_reports (day);
comment on table domain_reports is 'Reports about a domain that were read. None counts twice.';
comment on column domain_reports.reporter is 'The domain that has sent it, proven by SPF or DKIM.';
comment on column domain_reports.day is 'The day that it begins with, in UTC.';
comment on column domain_reports.policy is 'The DMARC policy as the reporter has found it.';
comment on column domain_reports.messages is 'How many messages, or sessions, it is about.';

create table dmarc_sources (
  team_id uuid not null,
  domain_id uuid not null,
  day date not null,
  reporter text not null,
  source text not null,
  origin text not null check (origin in ('us', 'forwarded', 'authorized', 'unauthorized')),
  disposition text not null check (disposition in ('none', 'quarantine', 'reject')),
  is_spf_aligned boolean not null,
  is_dkim_aligned boolean not null,
  spf_domain text not null,
  dkim_domain text not null,
  messages bigint not null,
  constraint dmarc_sources_pkey
    primary key (team_id, domain_id, day, reporter, source, origin, disposition, is_spf_aligned, is_dkim_aligned, spf_domain, dkim_domain),
  constraint dmarc_sources_domain_fkey foreign key (team_id, domain_id) references domains (team_id, id) on delete cascade
);
create index dmarc_sources_by_day on dmarc_sources (day);
comment on table dmarc_sources is 'Who has sent mail in the name of a domain, by day, as receivers report it.';
comment on column dmarc_sources.source is 'An IP address. Empty: all sources of the day beyond the first two thousand rows.';
comment on column dmarc_sources.origin is
  'us: sent from here; forwarded: signed here, and passed on by another server; authorized: by somebody else who passes DMARC; unauthorized: by somebody who does not.';
comment on column dmarc_sources.spf_domain is 'The domain that SPF passed for, or was checked for. Empty: none.';
comment on column dmarc_sources.dkim_domain is 'The domain of the first signature that passed, or of the first one. Empty: none.';

create table tls_report_results (
  team_id uuid not null,
  domain_id uuid not null,
  day date not null,
  reporter text not null,
  policy_type text not null,
  result text not null,
  mx text not null,
  sessions bigint not null,
  constraint tls_report_results_pkey primary key (team_id, domain_id, day, reporter, policy_type, result, mx),
  constraint tls_report_results_domain_fkey foreign key (team_id, domain_id) references domains (team_id, id) on delete cascade
);
create index tls_report_results_by_day on tls_report_results (day);
comment on table tls_report_results is 'How sessions of other mail servers with a domain went, by day, as they report it.';
comment on column tls_report_results.result is 'Empty: they were encrypted as asked. Otherwise what failed, as in RFC 8460.';
comment on column tls_report_results.mx is 'The mail server that was asked. Empty: not told.';
