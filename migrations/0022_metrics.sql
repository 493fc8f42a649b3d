-- Events that no counter knows of yet. A list of what is to be done and not a cursor into the outbox: events commit in another order
-- than that of their ids, and a cursor would pass by those that come late.
create table uncounted_events (
  team_id uuid not null,
  event_id uuid not null,
  primary key (team_id, event_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- A trigger, so that nobody who writes an event can forget it.
create function note_for_metrics() returns trigger language plpgsql as $$
begin
  insert into uncounted_events (team_id, event_id) select team_id, id from added where type like 'email.%';
  return null;
end $$;

create trigger outbox_note_for_metrics after insert on outbox
  referencing new table as added for each statement execute function note_for_metrics();

insert into uncounted_events (team_id, event_id) select team_id, id from outbox where type like 'email.%';

create type metric as enum ('received', 'delivered', 'complained', 'suppressed', 'bounced', 'bounced_transient', 'bounced_permanent',
  'bounced_undetermined', 'opened', 'clicked', 'unsubscribed', 'delivery_delayed', 'failed', 'sent', 'unique_opened', 'unique_clicked');

-- When what happened to which email. Most things count once for an email, when they happened first: they have no event_id of their
-- own (zeros), so that there can be no second one. Opens and clicks count each time. Outlives the events.
create table metric_facts (
  team_id uuid not null,
  email_id uuid not null,
  metric metric not null,
  event_id uuid not null,
  at timestamptz not null,
  domain_id uuid,
  broadcast_id uuid,
  primary key (team_id, email_id, metric, event_id)
);

create index metric_facts_by_time on metric_facts (team_id, at);

-- Instead of a reference, whose check for each fact was a good part of the work of counting.
create function forget_metric_facts() returns trigger language plpgsql as $$
begin
  delete from metric_facts where team_id = old.id;
  return null;
end $$;

create trigger teams_forget_metric_facts after delete on teams for each row execute function forget_metric_facts();

-- The facts of a quarter of an hour, added up. No time zone is off by less than that, so its hours, days, weeks and months are made
-- of these. Zeros stand for no domain and no broadcast, because a key cannot be null.
create table metric_counts (
  team_id uuid not null references teams (id) on delete cascade,
  quarter timestamptz not null,
  domain_id uuid not null,
  broadcast_id uuid not null,
  received integer not null,
  delivered integer not null,
  complained integer not null,
  suppressed integer not null,
  bounced integer not null,
  bounced_transient integer not null,
  bounced_permanent integer not null,
  bounced_undetermined integer not null,
  opened integer not null,
  clicked integer not null,
  unsubscribed integer not null,
  delivery_delayed integer not null,
  failed integer not null,
  sent integer not null,
  unique_opened integer not null,
  unique_clicked integer not null,
  primary key (team_id, quarter, domain_id, broadcast_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
