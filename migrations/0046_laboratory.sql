-- The laboratory: sandboxes with clocks and scenarios of their own, and what people note about messages.

alter table teams add column is_sandbox boolean not null default false;

create table sandboxes (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null references teams (id) on delete cascade,
  name text,
  seed text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (team_id, id),
  constraint sandboxes_id_unique unique (id)
);
create index sandboxes_by_end on sandboxes (expires_at);
comment on table sandboxes is
  'Teams with an end, made for one test. `id` is the team that the sandbox is, `team_id` the one that made it. `expires_at` is in real time.';

create table sandbox_clocks (
  team_id uuid primary key references teams (id) on delete cascade,
  offset_ms bigint not null,
  frozen_at timestamptz,
  version integer not null
);
comment on table sandbox_clocks is
  'Sandboxes whose time is not real time: how far it is ahead, or the moment at which it stands still. `version` grows with each change: who has an older one has an old time.';

create table sandbox_scenarios (
  team_id uuid primary key references teams (id) on delete cascade,
  scenario jsonb not null,
  version integer not null,
  updated_at timestamptz not null
);
comment on table sandbox_scenarios is 'What the outside world does to the mail, webhooks and logins of a sandbox.';

create table message_marks (
  team_id uuid not null references teams (id) on delete cascade,
  message_id uuid not null,
  is_read boolean not null default false,
  labels text[] not null default '{}',
  primary key (team_id, message_id)
);
comment on table message_marks is 'Which messages, sent or received, were looked at, and what people call them. None: unread, without labels.';

-- Whoever waits for mail asks for what has come since it last looked, in whatever order transactions commit, and whatever time it is for
-- the team: neither ids nor times tell, the transaction does. No default at first, or all rows would be written anew.
alter table outbox add column xid xid8;
alter table outbox alter column xid set default pg_current_xact_id();
comment on column outbox.xid is 'The transaction that has written it. Null: before there was this column.';
create index outbox_arrivals on outbox (team_id, xid, id) where xid is not null and type in ('email.sent', 'email.received');
