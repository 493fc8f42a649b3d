-- One message to many. What it says cannot change once it is being sent, so its emails need no copy of it. Segment and topic are
-- looked at when it is sent; a draft may outlive both.
create table broadcasts (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  name text not null,
  segment_id uuid not null,
  topic_id uuid,
  "from" text not null,
  subject text not null,
  reply_to text[],
  preview_text text,
  html text,
  text text,
  status text not null default 'draft' constraint broadcasts_status_known
    check (status in ('draft', 'scheduled', 'queued', 'sent', 'canceled')),
  scheduled_at timestamptz,
  sent_at timestamptz,
  -- The verified domain of the sender, found when it was sent.
  domain_id uuid,
  -- The walk through the segment: the last contact that was dealt with, and the last one that there was when it began. Who becomes
  -- a contact later is not written to, so the walk ends, and somebody who is deleted and comes back gets no second copy.
  reached uuid not null default '00000000-0000-0000-0000-000000000000',
  until uuid,
  is_walked boolean not null default false,
  -- Up to this recipient every copy has been tried.
  tried_to uuid not null default '00000000-0000-0000-0000-000000000000',
  audience integer not null default 0,
  emails integer not null default 0,
  unsubscribed integer not null default 0,
  not_subscribed integer not null default 0,
  suppressed integer not null default 0,
  sent integer not null default 0,
  canceled integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint broadcasts_say_something check (html is not null or text is not null),
  constraint broadcasts_scheduled_have_a_time check (status <> 'scheduled' or scheduled_at is not null),
  constraint broadcasts_sent_iff_dated check ((sent_at is not null) = (status = 'sent'))
);

-- Everybody whom a broadcast has met, once. Without a reason there is a copy, an email with the same id; `variables` is all that
-- is this recipient's own in it.
create table broadcast_recipients (
  team_id uuid not null,
  broadcast_id uuid not null,
  id uuid not null,
  -- Not a reference: who got a copy has got it, also when the contact is deleted.
  contact_id uuid not null,
  email text not null,
  reason text constraint broadcast_recipients_reason_known
    check (reason in ('unsubscribed', 'not_subscribed', 'suppressed', 'canceled')),
  variables jsonb,
  -- When the link in the copy was used to end such mail.
  unsubscribed_at timestamptz,
  primary key (team_id, broadcast_id, id),
  constraint broadcast_recipients_one_copy unique (team_id, broadcast_id, contact_id),
  foreign key (team_id, broadcast_id) references broadcasts (team_id, id) on delete cascade
);

create index broadcast_recipients_left_out on broadcast_recipients (team_id, broadcast_id, reason, id) where reason is not null;
create index broadcast_recipients_unsubscribed on broadcast_recipients (team_id, broadcast_id, id) where unsubscribed_at is not null;

-- A copy of a broadcast has no row in email_bodies.
alter table emails add column broadcast_id uuid;

-- What became of a broadcast: each kind of event, recipient by recipient.
create index outbox_by_broadcast on outbox (team_id, (data ->> 'broadcast_id'), type, about)
  where data ->> 'broadcast_id' is not null;
