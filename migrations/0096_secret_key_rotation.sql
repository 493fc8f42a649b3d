-- Secret keys that were in use before the current one. What they have signed is still out there: links in mails, return paths, sessions.
create table retired_secret_keys (
  mark bytea primary key,
  sealed_key bytea not null,
  retired_at timestamptz not null
);

comment on table retired_secret_keys is
  'Secret keys from before the current one, sealed with it: links and return paths in mail that has left were signed with them.';
comment on column retired_secret_keys.mark is 'What the key has left in secret_key_mark while it was the current one.';

alter table nodes add column secret_keys text[] not null default '{}';
comment on column nodes.secret_keys is 'Which secret keys the process has, by the beginning of their marks: a key takes over once all have it.';

-- DKIM keys that take the place of others: pending until their record is in the DNS, retired when another one signs.
alter table domain_keys
  add column state text not null default 'active' constraint domain_keys_state_known check (state in ('pending', 'active', 'retired')),
  add column retired_at timestamptz,
  add constraint domain_keys_retired_since check ((retired_at is not null) = (state = 'retired'));

comment on column domain_keys.state is 'Those that are active sign. A pending one takes over when its record is in the DNS.';
