-- A draft that is sent in a moment, until when that can be undone; and why the last try to send it was refused. No row is rewritten.
alter table inbox_drafts add column send_at timestamptz, add column send_error text;

-- Who looks at a thread or replies to it: a lease that its browser renews. Not logged, since nothing of it is worth anything after a crash.
create unlogged table inbox_viewers (
  team_id uuid not null references teams (id),
  inbox_id uuid not null,
  thread_id uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  expires_at timestamptz not null,
  replying_until timestamptz,
  primary key (team_id, thread_id, user_id)
);
create index inbox_viewers_by_expiry on inbox_viewers (expires_at);
create index inbox_viewers_by_user on inbox_viewers (user_id);
comment on table inbox_viewers is 'Who looks at a thread of an inbox, and until when they may be believed to reply: leases in real time, which browsers renew.';
