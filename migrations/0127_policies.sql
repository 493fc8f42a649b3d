-- What mail of an API key, of an app that a person has let in, or of an inbox's agent is allowed to be.
create table policies (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  holder_kind text not null constraint policies_holder_known check (holder_kind in ('api_key', 'oauth_grant', 'inbox_agent')),
  policy jsonb not null,
  updated_at timestamptz not null,
  primary key (team_id, id)
);
comment on table policies is
  'What mail of an API key, of an app that a person has let in, or of an inbox''s agent is allowed to be. Whoever counts against one has locked its row.';
comment on column policies.id is 'That of the key, the grant or the inbox.';

-- How much was sent under a policy, by the minute: no longer than the longest window that is counted.
create table policy_uses (
  team_id uuid not null,
  policy_id uuid not null,
  recipient bytea not null,
  minute timestamptz not null,
  emails int not null,
  primary key (team_id, policy_id, recipient, minute),
  foreign key (team_id, policy_id) references policies (team_id, id) on delete cascade
);
create index policy_uses_minute on policy_uses (minute);
comment on table policy_uses is 'How much was sent under a policy in the last 24 hours, by the minute.';
comment on column policy_uses.recipient is 'A digest of whom it was sent to, without what is behind a plus sign. Empty: everybody together.';

-- What was refused, or would have been in a dry run.
create table policy_refusals (
  team_id uuid not null references teams (id) on delete cascade,
  policy_id uuid not null,
  rule text not null,
  minute timestamptz not null,
  emails int not null,
  is_dry_run boolean not null,
  last_from text not null,
  last_recipients jsonb not null,
  last_subject text not null,
  primary key (team_id, policy_id, rule, minute, is_dry_run)
);
create index policy_refusals_minute on policy_refusals (minute);
comment on table policy_refusals is
  'What a policy has refused, or would have in a dry run: one row for each rule and minute, with the last mail of it. Kept when the policy is gone.';

-- Mail that was sent under a policy.
create table policy_emails (
  team_id uuid not null references teams (id) on delete cascade,
  policy_id uuid not null,
  email_id uuid not null,
  recipients int not null,
  is_held boolean not null,
  primary key (team_id, policy_id, email_id)
);
create index policy_emails_email on policy_emails (email_id);
comment on table policy_emails is 'Mail that was accepted under a policy. The time is in the id of the email.';
comment on column policy_emails.is_held is 'It waited for approval.';

-- Who has written to a team: whom a policy may let be written to.
create table known_senders (
  team_id uuid not null references teams (id) on delete cascade,
  address text not null,
  is_proven boolean not null,
  seen_on date not null,
  primary key (team_id, address)
);
comment on table known_senders is 'Who has written to a team, kept as long as received mail is.';
comment on column known_senders.address is 'In lower case, the domain in ASCII.';
comment on column known_senders.is_proven is 'DMARC, or SPF or DKIM of the very domain, has passed for a message of theirs.';

insert into known_senders (team_id, address, is_proven, seen_on)
select team_id, address, true, max(created_at)::date
from (
  select team_id, lower(coalesce(substring("from" from '<([^<>]+)>\s*$'), "from")) as address, created_at
  from received_emails where authentication #>> '{dmarc,result}' = 'pass') proven
where address ~ '^[!-~]{1,64}@[a-z0-9.-]{1,253}$'
group by team_id, address;
