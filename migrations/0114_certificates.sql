-- Certificates that are asked for by ACME, shared by all nodes.
create table acme_accounts (
  directory text primary key,
  private_key bytea not null,
  url text,
  created_at timestamptz not null
);
comment on table acme_accounts is 'Who we are to an authority that issues certificates.';
comment on column acme_accounts.directory is 'The URL that the authority is found by.';
comment on column acme_accounts.private_key is 'Sealed.';
comment on column acme_accounts.url is 'Null: the authority has not answered yet.';

create table certificates (
  name text primary key,
  certificate text,
  private_key bytea,
  expires_at timestamptz,
  renew_at timestamptz,
  failures smallint not null,
  next_try_at timestamptz not null,
  problem text,
  constraint certificates_are_whole check (num_nonnulls(certificate, private_key, expires_at, renew_at) in (0, 4))
);
comment on table certificates is 'Names by which this installation is reached over TLS, each with its certificate.';
comment on column certificates.certificate is 'As PEM, with those of its authorities behind it. Null: there is none yet.';
comment on column certificates.private_key is 'Sealed.';
comment on column certificates.renew_at is 'When two thirds of its life are over.';
comment on column certificates.failures is 'In a row. Each wait is longer than the one before.';
comment on column certificates.problem is 'What the authority has said to the last try, if it failed.';

create table acme_challenges (
  token text primary key,
  name text not null,
  answer text not null,
  created_at timestamptz not null
);
comment on table acme_challenges is 'What an authority will ask us for, at whichever node it arrives, to see that a name is ours.';
create index acme_challenges_by_name on acme_challenges (name);
