-- The laboratory: sandboxes with clocks and scenarios of their own, and what people note about messages.

alter table teams add column is_sandbox boolean not null default false;

-- The version of the id says what a team is, so an index can know it, too.
create function is_sandbox(team uuid) returns boolean language sql immutable parallel safe
  return (get_byte(uuid_send(team), 6) >> 4) = 8;

-- What a sandbox calls its domains is nobody else's business: two tests may both have `acme.test`, and neither takes it from a team.
drop index domains_name_unique;
create unique index domains_name_unique on domains (name) where not is_placeholder and not is_sandbox(team_id);

-- Deletes up to so many rows of some teams, and tells how many: each call is short, however much there is. The tables are those of the
-- catalog with a team_id, so that none is forgotten; only who has the team set to null outlives it. First come those that refer to
-- others. Two that refer to each other: first the one whose reference does not cascade. Many at once: to look through all tables takes
-- some milliseconds, and a sandbox has few rows.
create function delete_slice_of_teams(wanted uuid[], most integer) returns integer language plpgsql as $$
declare
  one text;
  deleted integer;
  total integer := 0;
begin
  for one in
    with recursive owned as (
      select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped
      where c.relkind = 'r' and pg_table_is_visible(c.oid) and not exists (
        select from pg_constraint f
        where f.contype = 'f' and f.conrelid = c.oid and f.confrelid = 'teams'::regclass and f.confdeltype = 'n')),
    refers as (
      select distinct conrelid as child, confrelid as parent from pg_constraint where contype = 'f' and conrelid <> confrelid),
    ancestors as (
      select child, parent from refers
      union
      select a.child, r.parent from ancestors a join refers r on r.child = a.parent)
    select owned.oid::regclass::text from owned
    order by (select count(*) from ancestors a where a.child = owned.oid and a.parent <> owned.oid) desc,
      (select count(*) from pg_constraint f where f.contype = 'f' and f.conrelid = owned.oid and f.confdeltype = 'a') desc,
      owned.oid::regclass::text
  loop
    execute format(
      'delete from only %1$s where ctid = any (array(select ctid from only %1$s where team_id = any ($1) limit $2))', one)
      using wanted, most - total;
    get diagnostics deleted = row_count;
    total := total + deleted;
    if total >= most then return total; end if;
  end loop;
  return total;
end $$;

-- For processes of the version before, while they still run.
create or replace function delete_slice_of_team(wanted uuid, most integer) returns integer language sql
  return delete_slice_of_teams(array[wanted], most);

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
  version integer not null,
  holder integer,
  resumes boolean not null default false
);
comment on table sandbox_clocks is
  'Sandboxes whose time is not real time: how far it is ahead, or the moment at which it stands still. `version` grows with each change: who has an older one has an old time.';
comment on column sandbox_clocks.holder is 'The node that moves it. Nobody else does so meanwhile.';
comment on column sandbox_clocks.resumes is 'It stands still only for as long as it is moved, and runs on then.';

-- What is due next in a sandbox, and whether anything is due by now: an index probe each. Rows of all other teams are in none of
-- these indexes.
create index deliveries_of_sandboxes on deliveries (team_id, due_at)
  where state = 'waiting' and suspended_at is null and is_sandbox(team_id);
create index webhook_deliveries_of_sandboxes on webhook_deliveries (team_id, webhook_id, due_at)
  where due_at is not null and is_sandbox(team_id);
create index jobs_of_sandboxes on jobs ((payload ->> 'team'), run_at)
  where failed_at is null and substr(payload ->> 'team', 15, 1) = '8';

create table sandbox_scenarios (
  team_id uuid primary key references teams (id) on delete cascade,
  scenario jsonb not null,
  version integer not null,
  updated_at timestamptz not null,
  numbered_to uuid
);
comment on table sandbox_scenarios is
  'What the outside world does to the mail, webhooks and logins of a sandbox. `numbered_to`: the last email whose recipients have their numbers.';

create table sandbox_numbers (
  team_id uuid not null references teams (id) on delete cascade,
  email_id uuid not null,
  position smallint not null,
  number integer not null,
  hits smallint[] not null,
  primary key (team_id, email_id, position)
);
comment on table sandbox_numbers is
  'Where recipients stand in the story of a scenario, in the order in which their emails were accepted: chance depends on it, and on nothing that differs from run to run. `hits` are the rules for which it is the nth.';

create table sandbox_counts (
  team_id uuid not null references teams (id) on delete cascade,
  name text not null,
  count integer not null,
  primary key (team_id, name)
);
comment on table sandbox_counts is 'How often something has come about since the scenario was set.';

create table message_marks (
  team_id uuid not null references teams (id) on delete cascade,
  message_id uuid not null,
  is_read boolean not null default false,
  labels text[] not null default '{}',
  primary key (team_id, message_id)
);
create index message_marks_labelled on message_marks (team_id, message_id desc) where labels <> '{}';
comment on table message_marks is 'Which messages, sent or received, were looked at, and what people call them. None: unread, without labels.';

-- Whoever waits for mail asks for what has come since it last looked, in whatever order transactions commit, and whatever time it is for
-- the team: neither ids nor times tell, the transaction does. No default at first, or all rows would be written anew.
alter table outbox add column xid xid8;
alter table outbox alter column xid set default pg_current_xact_id();
comment on column outbox.xid is 'The transaction that has written it. Null: before there was this column.';
create index outbox_arrivals on outbox (team_id, xid, id) where xid is not null and type in ('email.sent', 'email.received');
