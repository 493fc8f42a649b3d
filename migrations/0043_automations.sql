create table event_definitions (
  team_id uuid not null references teams (id),
  id uuid not null,
  name text not null,
  schema jsonb,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (team_id, id)
);
create unique index event_definitions_by_name on event_definitions (team_id, name);
comment on table event_definitions is
  'What a team has said about an event of its own: the types of the fields of its payload. An event needs none to be sent.';

create table automation_graphs (
  team_id uuid not null references teams (id),
  id uuid not null,
  automation_id uuid not null,
  steps json not null,
  connections json not null,
  created_at timestamptz not null,
  primary key (team_id, id)
);
create index automation_graphs_by_automation on automation_graphs (team_id, automation_id);
comment on table automation_graphs is
  'Steps and connections of an automation. Never changed: an edit makes another one, and runs finish on the one that they began with.';

create table automation_graph_events (
  team_id uuid not null,
  event_name text not null,
  graph_id uuid not null,
  primary key (team_id, event_name, graph_id),
  foreign key (team_id, graph_id) references automation_graphs (team_id, id) on delete cascade
);
create index automation_graph_events_by_graph on automation_graph_events (team_id, graph_id);
comment on table automation_graph_events is
  'The events that a graph begins with or waits for. An event that stands in none of them is nothing to automations. Depends on no run: one that begins to wait while the event commits would be passed by.';

create table automations (
  team_id uuid not null references teams (id),
  id uuid not null,
  name text not null,
  status text not null check (status in ('enabled', 'disabled')),
  graph_id uuid not null,
  trigger_event text not null,
  once_per_contact text not null default 'never' check (once_per_contact in ('never', 'while_running', 'ever')),
  stopped_before uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, id),
  foreign key (team_id, graph_id) references automation_graphs (team_id, id)
);
create index automations_by_trigger on automations (team_id, trigger_event) where status = 'enabled';
comment on table automations is
  'What is done, step by step, for a contact whom an event is about. Runs with an id below `stopped_before` are cancelled, also those that do not say so yet.';

-- Where a run stands is one step: two connections of one kind never leave a step.
create table automation_runs (
  team_id uuid not null references teams (id),
  id uuid not null,
  automation_id uuid not null,
  graph_id uuid not null,
  contact_id uuid not null,
  status text not null check (status in ('running', 'completed', 'failed', 'cancelled')),
  step_key text,
  entered_at timestamptz,
  due_at timestamptz,
  waits_for text,
  event jsonb not null,
  wait_events jsonb not null,
  trail jsonb not null,
  test jsonb,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  primary key (team_id, id),
  constraint automation_runs_stand_somewhere check ((status = 'running') = (step_key is not null)),
  constraint automation_runs_ended_wait_for_nothing check (status = 'running' or (due_at is null and waits_for is null))
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
create index automation_runs_due on automation_runs (team_id, due_at) where due_at is not null;
create index automation_runs_waiting on automation_runs (team_id, waits_for, contact_id) where waits_for is not null;
create index automation_runs_by_status on automation_runs (team_id, automation_id, status, id);
create index automation_runs_by_graph on automation_runs (team_id, graph_id, status);
create index automation_runs_by_contact on automation_runs (team_id, contact_id, automation_id);
create index automation_runs_without_success on automation_runs (team_id, status, id) where status in ('failed', 'cancelled');
create index automation_runs_ended on automation_runs (completed_at) where completed_at is not null;
comment on table automation_runs is
  'One contact on its way through an automation: the step where it stands, when that is over (`due_at`, in real time) and the event that it waits for. What is behind it is in `trail`, one entry for each step. `test`: somebody tries it out, and only that person gets mail.';

create table automation_emails (
  team_id uuid not null references teams (id),
  email_id uuid not null,
  automation_id uuid not null,
  step_key text not null,
  is_opened boolean not null default false,
  is_clicked boolean not null default false,
  primary key (team_id, email_id)
);
create index automation_emails_by_automation on automation_emails (team_id, automation_id);
create index automation_emails_by_age on automation_emails (email_id);
comment on table automation_emails is 'The emails that steps of automations have sent, so that opens and clicks are counted once for each.';

create table automation_numbers (
  team_id uuid not null references teams (id),
  automation_id uuid not null,
  step_key text not null,
  name text not null,
  count bigint not null,
  primary key (team_id, automation_id, step_key, name)
) with (fillfactor = 70);
comment on table automation_numbers is
  'How often something happened at a step: entered, completed, failed, skipped, cancelled, sent, opened, clicked; and how often each kind of connection was taken, as `took_` and its type.';

create table automation_usage (
  team_id uuid not null references teams (id),
  month date not null,
  runs bigint not null,
  primary key (team_id, month)
);
comment on table automation_usage is 'How many runs of a team began in a month, in its own time and UTC.';

-- How far a subscriber has got with an event that is too much for one transaction.
alter table outbox_notes add column reached uuid;

-- In the order in which they were written, which for events that came one after the other is that of their acceptance: the ids are made by
-- nodes whose clocks differ. What a scanner or a privacy proxy opens or clicks is no open and no click: it wakes nobody.
select subscribe_to_outbox('automation_events', $$(
    event.type = 'event.sent' and exists (
      select from automation_graph_events g where g.team_id = event.team_id and g.event_name = event.data ->> 'event'))
  or (event.type in ('email.opened', 'email.clicked', 'email.bounced', 'email.delivered', 'email.complained', 'email.failed', 'email.suppressed')
    and coalesce((event.data -> 'verdict' ->> 'is_counted')::boolean, true)
    and (exists (select from automation_graph_events g where g.team_id = event.team_id and g.event_name = 'resend:' || event.type)
      or exists (select from automation_emails e where e.team_id = event.team_id and e.email_id = event.about)))$$);
alter table automation_events add column seq bigint generated always as identity;
create index automation_events_in_order on automation_events (team_id, seq);
comment on table automation_events is
  'Events that automations have not taken up yet, in the order of their acceptance. `reached`: so many runs wait for this one that they are woken in slices, and these were the first.';
