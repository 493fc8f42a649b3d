-- Inboxes: mailboxes with threads, labels, drafts and an agent, on top of received and sent mail.

create table inboxes (
  team_id uuid not null references teams (id),
  id uuid not null,
  name text not null,
  email_address text not null,
  domain_id uuid not null,
  receiving_address text,
  from_name text,
  unread integer not null default 0,
  drafts integer not null default 0,
  last_received timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, id)
) with (fillfactor = 70);
create unique index inboxes_by_address on inboxes (team_id, email_address);
create unique index inboxes_by_receiving_address on inboxes (receiving_address) where receiving_address is not null;
comment on table inboxes is
  'Mailboxes. Addresses are in lower case. `receiving_address` is where others forward mail to. `unread` are the threads in the folder inbox with something unread, `drafts` those that are not sent; triggers keep both, and `last_received`. Whoever changes what is in an inbox locks its row first, so changes come one after the other.';

create table inbox_labels (
  team_id uuid not null,
  inbox_id uuid not null,
  id uuid not null,
  name text not null,
  color text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, id),
  foreign key (team_id, inbox_id) references inboxes (team_id, id) on delete cascade
);
create unique index inbox_labels_by_name on inbox_labels (team_id, inbox_id, lower(name));
comment on table inbox_labels is 'What threads of an inbox can be labelled with. Threads name labels by id; an id that is not here any more is nothing.';

-- No foreign key: of a large inbox that is deleted threads and messages go later, in slices.
create table inbox_threads (
  team_id uuid not null references teams (id),
  inbox_id uuid not null,
  id uuid not null,
  subject text,
  folder text not null check (folder in ('inbox', 'archive', 'spam', 'trash')),
  traffic text not null check (traffic in ('inbound', 'outbound', 'both')),
  labels uuid[] not null default '{}',
  assignee_email text,
  emails integer not null default 0,
  unread integer not null default 0,
  with_attachment integer not null default 0,
  drafts integer not null default 0,
  newest_id uuid not null,
  shown_id uuid not null,
  trashed_at timestamptz,
  created_at timestamptz not null,
  primary key (team_id, id)
) with (fillfactor = 80);
create index inbox_threads_by_folder on inbox_threads (team_id, inbox_id, folder, traffic, newest_id);
create index inbox_threads_unread on inbox_threads (team_id, inbox_id, folder, traffic, newest_id) where unread > 0;
create index inbox_threads_by_label on inbox_threads using gin (labels) with (fastupdate = off);
create index inbox_threads_trashed on inbox_threads (trashed_at) where trashed_at is not null;
comment on table inbox_threads is
  'Conversations of an inbox. The list is sorted by `newest_id`, its newest message; `shown_id` is the message whose people the list shows: the newest that was received, or else the newest. `traffic` says which directions its messages have; triggers keep the four counts. `created_at` is when its first message was sent, whose `subject` it has; `trashed_at` is in real time.';

create table inbox_messages (
  team_id uuid not null references teams (id),
  inbox_id uuid not null,
  id uuid not null,
  thread_id uuid not null,
  direction text not null check (direction in ('inbound', 'outbound')),
  is_read boolean not null,
  "from" text not null,
  "to" jsonb not null,
  cc jsonb not null,
  bcc jsonb not null,
  reply_to jsonb not null,
  subject text,
  message_id text,
  "references" jsonb not null,
  attachments jsonb not null,
  snippet text not null,
  people text not null,
  search tsvector not null,
  sent_at timestamptz not null,
  created_at timestamptz not null,
  primary key (team_id, inbox_id, id)
) with (fillfactor = 90);
create unique index inbox_messages_by_thread on inbox_messages (team_id, thread_id, id);
create index inbox_messages_by_email on inbox_messages (team_id, id);
create index inbox_messages_by_words on inbox_messages using gin (search) with (fastupdate = off);
comment on table inbox_messages is
  'A received or sent email in an inbox, under the id that it has there; a message for two inboxes is in both. Its header is copied, so that lists need no other table; bodies are where they were. `sent_at` is what its Date says, at most when it came. `references` are the Message-IDs that it names, the oldest first. `search` are its words, behind the end of the id of the inbox, and marks that begin with a digit for inbox, people and time. `people` has a line for each, without case and accents, behind the letter of the role.';

create table inbox_references (
  team_id uuid not null references teams (id),
  inbox_id uuid not null,
  name bytea not null,
  email_id uuid not null,
  primary key (team_id, inbox_id, name)
);
create index inbox_references_by_email on inbox_references (team_id, email_id);
comment on table inbox_references is
  'Digests of the Message-IDs that messages of an inbox have or name, each with one of the messages that do: whoever names one of them is in the same thread.';

create table inbox_subjects (
  team_id uuid not null references teams (id),
  inbox_id uuid not null,
  name bytea not null,
  sent_at timestamptz not null,
  email_id uuid not null,
  primary key (team_id, inbox_id, name, sent_at, email_id)
);
create index inbox_subjects_by_email on inbox_subjects (team_id, email_id);
comment on table inbox_subjects is
  'For each message and each of its people a digest of both subject and person: the neighbours in time under the same digest, if they are near enough, are in the same thread.';

create table inbox_people (
  team_id uuid not null references teams (id),
  inbox_id uuid not null,
  address text not null,
  name text,
  folded text not null,
  primary key (team_id, inbox_id, address)
);
comment on table inbox_people is 'Everybody with whom an inbox has exchanged mail: part of an address or a name is looked for here, and not in the messages. `folded` is both without case and accents.';

-- All parts of up to three letters, and the inbox, which no part of three letters is.
create function inbox_person_parts(inbox_id uuid, folded text) returns text[] language sql immutable parallel safe as $$
  select array(
    select substr(folded, start, size) from generate_series(1, 3) size, generate_series(1, length(folded) - size + 1) start)
    || inbox_id::text
$$;
create index inbox_people_by_part on inbox_people using gin (inbox_person_parts(inbox_id, folded)) with (fastupdate = off);

create table merged_inbox_threads (
  team_id uuid not null references teams (id),
  id uuid not null,
  inbox_id uuid not null,
  into_id uuid not null,
  primary key (team_id, id)
);
create index merged_inbox_threads_by_target on merged_inbox_threads (team_id, into_id);
create function follow_merged_inbox_threads() returns trigger language plpgsql as $$
begin
  update inbox_drafts d set thread_id = m.into_id from new_rows m where d.team_id = m.team_id and d.thread_id = m.id;
  update inbox_agent_runs r set thread_id = m.into_id from new_rows m where r.team_id = m.team_id and r.thread_id = m.id;
  return null;
end $$;
create trigger merged_inbox_threads_followed after insert on merged_inbox_threads referencing new table as new_rows
  for each statement execute function follow_merged_inbox_threads();
comment on table merged_inbox_threads is 'Threads that turned out to be part of another: whoever still has the old id is led there. What names a thread by id moves along, by a trigger.';

create table inbox_sendings (
  team_id uuid not null references teams (id),
  email_id uuid not null,
  inbox_id uuid not null,
  thread_id uuid,
  draft_id uuid,
  source text not null check (source in ('api', 'dashboard', 'agent')),
  primary key (team_id, email_id)
);
comment on table inbox_sendings is 'Emails that were sent from within an inbox and are not filed yet: into which thread they belong, and who sent them.';

create table inbox_drafts (
  team_id uuid not null,
  inbox_id uuid not null,
  id uuid not null,
  "to" jsonb,
  cc jsonb not null,
  bcc jsonb not null,
  subject text,
  html text,
  text text,
  snippet text,
  thread_id uuid,
  reply_to_email_id uuid,
  forward_of_email_id uuid,
  version integer not null default 1,
  source text not null check (source in ('api', 'dashboard', 'agent')),
  email_id uuid,
  sent_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, id),
  foreign key (team_id, inbox_id) references inboxes (team_id, id) on delete cascade,
  constraint inbox_drafts_sent_as check ((email_id is null) = (sent_at is null))
);
create index inbox_drafts_unsent on inbox_drafts (team_id, inbox_id, id) where sent_at is null;
create unique index inbox_drafts_of_reply on inbox_drafts (team_id, inbox_id, reply_to_email_id) where sent_at is null and reply_to_email_id is not null;
create index inbox_drafts_by_thread on inbox_drafts (team_id, thread_id) where thread_id is not null;
comment on table inbox_drafts is
  'Mail that is being written. Each change raises `version`; one that names an older version is refused. A reply has one draft at a time. Sent ones stay, with the email that they became.';

create table inbox_draft_attachments (
  team_id uuid not null,
  draft_id uuid not null,
  id uuid not null,
  position integer not null,
  filename text not null,
  content_type text not null,
  content_id text,
  size bigint not null,
  blob text not null,
  primary key (team_id, id),
  foreign key (team_id, draft_id) references inbox_drafts (team_id, id) on delete cascade
);
create index inbox_draft_attachments_by_draft on inbox_draft_attachments (team_id, draft_id, position);
create trigger inbox_draft_attachments_note_blob after delete on inbox_draft_attachments
  for each row execute function note_unnamed_blob();
comment on table inbox_draft_attachments is 'The files of drafts. Sending hands them over to the email, so each blob has one owner.';

create table inbox_agents (
  team_id uuid not null,
  inbox_id uuid not null,
  instructions text,
  tone text,
  actions text[] not null,
  forward_to text[] not null,
  updated_at timestamptz not null,
  primary key (team_id, inbox_id),
  foreign key (team_id, inbox_id) references inboxes (team_id, id) on delete cascade
);
comment on table inbox_agents is 'What the agent of an inbox is told, what it may do, and to whom it may forward. No row: it does nothing.';

create table inbox_agent_runs (
  team_id uuid not null references teams (id),
  id uuid not null,
  inbox_id uuid not null,
  thread_id uuid not null,
  email_id uuid not null,
  status text not null check (status in ('running', 'done', 'failed', 'skipped')),
  acts jsonb not null,
  error text,
  input_tokens integer not null,
  output_tokens integer not null,
  created_at timestamptz not null,
  primary key (team_id, id)
);
create unique index inbox_agent_runs_by_email on inbox_agent_runs (team_id, inbox_id, email_id);
create index inbox_agent_runs_by_inbox on inbox_agent_runs (team_id, inbox_id, id);
create index inbox_agent_runs_by_thread on inbox_agent_runs (team_id, thread_id, id);
comment on table inbox_agent_runs is 'What the agent did with a message and why, once for each message: `acts` has action, reason and what became of it, written with the act itself. One that is `running` is nobody''s business yet: it is begun again when its process has ended.';

create table inbox_agent_usage (
  team_id uuid not null references teams (id),
  inbox_id uuid not null,
  day date not null,
  runs integer not null,
  tokens bigint not null,
  primary key (team_id, inbox_id, day)
);
comment on table inbox_agent_usage is 'How many messages the agent of an inbox has looked at on a day, in the time of the team and UTC, and what the model has read and written for them.';

-- Counts are kept by the changes themselves. Each statement adds up what it did, and touches a row only if it made a difference.
create function count_unread_threads() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update inboxes i set unread = i.unread + d.change
    from (select team_id, inbox_id, count(*)::int as change from new_rows
      where folder = 'inbox' and unread > 0 group by team_id, inbox_id) d
    where i.team_id = d.team_id and i.id = d.inbox_id;
  elsif tg_op = 'DELETE' then
    update inboxes i set unread = i.unread - d.change
    from (select team_id, inbox_id, count(*)::int as change from old_rows
      where folder = 'inbox' and unread > 0 group by team_id, inbox_id) d
    where i.team_id = d.team_id and i.id = d.inbox_id;
  else
    update inboxes i set unread = i.unread + d.change
    from (
      select team_id, inbox_id, sum(change)::int as change from (
        select team_id, inbox_id, 1 as change from new_rows where folder = 'inbox' and unread > 0
        union all
        select team_id, inbox_id, -1 from old_rows where folder = 'inbox' and unread > 0) both_rows
      group by team_id, inbox_id having sum(change) <> 0) d
    where i.team_id = d.team_id and i.id = d.inbox_id;
  end if;
  return null;
end $$;
create trigger inbox_threads_added after insert on inbox_threads referencing new table as new_rows
  for each statement execute function count_unread_threads();
create trigger inbox_threads_changed after update on inbox_threads referencing old table as old_rows new table as new_rows
  for each statement execute function count_unread_threads();
create trigger inbox_threads_removed after delete on inbox_threads referencing old table as old_rows
  for each statement execute function count_unread_threads();

create function count_inbox_messages() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update inbox_threads t
    set emails = t.emails + d.emails, unread = t.unread + d.unread, with_attachment = t.with_attachment + d.with_attachment
    from (
      select team_id, thread_id, count(*)::int as emails, (count(*) filter (where not is_read))::int as unread,
        (count(*) filter (where attachments <> '[]'))::int as with_attachment
      from new_rows group by team_id, thread_id) d
    where t.team_id = d.team_id and t.id = d.thread_id;
    update inboxes i set last_received = greatest(i.last_received, d.at)
    from (select team_id, inbox_id, max(created_at) as at from new_rows where direction = 'inbound' group by team_id, inbox_id) d
    where i.team_id = d.team_id and i.id = d.inbox_id;
  else
    update inbox_threads t
    set emails = t.emails + d.emails, unread = t.unread + d.unread, with_attachment = t.with_attachment + d.with_attachment
    from (
      select team_id, thread_id, sum(one)::int as emails, sum(one * (not is_read)::int)::int as unread,
        sum(one * (attachments <> '[]')::int)::int as with_attachment
      from (
        select team_id, thread_id, is_read, attachments, 1 as one from new_rows
        union all
        select team_id, thread_id, is_read, attachments, -1 from old_rows) both_rows
      group by team_id, thread_id) d
    where t.team_id = d.team_id and t.id = d.thread_id and (d.emails <> 0 or d.unread <> 0 or d.with_attachment <> 0);
  end if;
  return null;
end $$;
create trigger inbox_messages_added after insert on inbox_messages referencing new table as new_rows
  for each statement execute function count_inbox_messages();
create trigger inbox_messages_changed after update on inbox_messages referencing old table as old_rows new table as new_rows
  for each statement execute function count_inbox_messages();

create function count_inbox_drafts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform add_inbox_drafts(array(select (team_id, inbox_id, thread_id, 1)::inbox_draft_change from new_rows where sent_at is null));
  elsif tg_op = 'DELETE' then
    perform add_inbox_drafts(array(select (team_id, inbox_id, thread_id, -1)::inbox_draft_change from old_rows where sent_at is null));
  else
    perform add_inbox_drafts(
      array(select (team_id, inbox_id, thread_id, 1)::inbox_draft_change from new_rows where sent_at is null)
      || array(select (team_id, inbox_id, thread_id, -1)::inbox_draft_change from old_rows where sent_at is null));
  end if;
  return null;
end $$;
create type inbox_draft_change as (team_id uuid, inbox_id uuid, thread_id uuid, change integer);
create function add_inbox_drafts(changes inbox_draft_change[]) returns void language sql as $$
  update inboxes i set drafts = i.drafts + d.change
  from (select team_id, inbox_id, sum(change)::int as change from unnest(changes) group by team_id, inbox_id having sum(change) <> 0) d
  where i.team_id = d.team_id and i.id = d.inbox_id;
  update inbox_threads t set drafts = t.drafts + d.change
  from (
    select team_id, thread_id, sum(change)::int as change from unnest(changes)
    where thread_id is not null group by team_id, thread_id having sum(change) <> 0) d
  where t.team_id = d.team_id and t.id = d.thread_id;
$$;
create trigger inbox_drafts_added after insert on inbox_drafts referencing new table as new_rows
  for each statement execute function count_inbox_drafts();
create trigger inbox_drafts_changed after update on inbox_drafts referencing old table as old_rows new table as new_rows
  for each statement execute function count_inbox_drafts();
create trigger inbox_drafts_removed after delete on inbox_drafts referencing old table as old_rows
  for each statement execute function count_inbox_drafts();

-- Copies of broadcasts are no conversation. Whose mail it is, is looked at when it is filed. In this order: a probe of the index takes 2 µs,
-- and reading the data of an event more, so that teams without inboxes pay nothing else.
select subscribe_to_outbox('unfiled_mail', $$case when event.type in ('email.received', 'email.sent') and exists (select from inboxes i where i.team_id = event.team_id)
    then event.data ->> 'broadcast_id' is null else false end$$);
comment on table unfiled_mail is 'Events of mail that may belong into an inbox and is not there yet.';
