-- A question about 90 days added up 96 counters a day of each domain: six times the work of a question about nothing.
create type metric_span as enum ('hour', 'day');

create table metric_sums (
  team_id uuid not null,
  span metric_span not null,
  start timestamptz not null,
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
  primary key (team_id, span, start, domain_id, broadcast_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
comment on table metric_sums is 'The counters of a quarter of an hour (metric_counts), added up to hours and days of UTC by a trigger.';

create function add_to_metric_sums(changes metric_counts[]) returns void language plpgsql as $$
begin
  -- Of two triggers one has nothing to do.
  if cardinality(changes) = 0 then return; end if;
  insert into metric_sums (team_id, span, start, domain_id, broadcast_id,
    received, delivered, complained, suppressed, bounced, bounced_transient, bounced_permanent, bounced_undetermined, opened, clicked,
    unsubscribed, delivery_delayed, failed, sent, unique_opened, unique_clicked)
  select team_id, span, date_bin(length, quarter, 'epoch'), domain_id, broadcast_id,
    sum(received), sum(delivered), sum(complained), sum(suppressed), sum(bounced), sum(bounced_transient), sum(bounced_permanent),
    sum(bounced_undetermined), sum(opened), sum(clicked), sum(unsubscribed), sum(delivery_delayed), sum(failed), sum(sent),
    sum(unique_opened), sum(unique_clicked)
  from unnest(changes), (values ('hour'::metric_span, interval '1 hour'), ('day', interval '1 day')) spans (span, length)
  group by 1, 2, 3, 4, 5
  on conflict (team_id, span, start, domain_id, broadcast_id) do update set
    received = metric_sums.received + excluded.received, delivered = metric_sums.delivered + excluded.delivered,
    complained = metric_sums.complained + excluded.complained, suppressed = metric_sums.suppressed + excluded.suppressed,
    bounced = metric_sums.bounced + excluded.bounced, bounced_transient = metric_sums.bounced_transient + excluded.bounced_transient,
    bounced_permanent = metric_sums.bounced_permanent + excluded.bounced_permanent,
    bounced_undetermined = metric_sums.bounced_undetermined + excluded.bounced_undetermined, opened = metric_sums.opened + excluded.opened,
    clicked = metric_sums.clicked + excluded.clicked, unsubscribed = metric_sums.unsubscribed + excluded.unsubscribed,
    delivery_delayed = metric_sums.delivery_delayed + excluded.delivery_delayed, failed = metric_sums.failed + excluded.failed,
    sent = metric_sums.sent + excluded.sent, unique_opened = metric_sums.unique_opened + excluded.unique_opened,
    unique_clicked = metric_sums.unique_clicked + excluded.unique_clicked;
end $$;

-- By triggers, so that a program that knows nothing of sums keeps them right. Counters are deleted with their team only, and so are the sums.
create function add_new_metric_counts() returns trigger language plpgsql as $$
begin
  perform add_to_metric_sums(array(select row(added.*)::metric_counts from added));
  return null;
end $$;

create function add_changed_metric_counts() returns trigger language plpgsql as $$
begin
  perform add_to_metric_sums(array(
    select row(added.*)::metric_counts from added union all select row(team_id, quarter, domain_id, broadcast_id,
      -received, -delivered, -complained, -suppressed, -bounced, -bounced_transient, -bounced_permanent, -bounced_undetermined, -opened,
      -clicked, -unsubscribed, -delivery_delayed, -failed, -sent, -unique_opened, -unique_clicked)::metric_counts from removed));
  return null;
end $$;

create trigger metric_counts_add_new after insert on metric_counts
  referencing new table as added for each statement execute function add_new_metric_counts();
create trigger metric_counts_add_changed after update on metric_counts
  referencing old table as removed new table as added for each statement execute function add_changed_metric_counts();

create table metric_backfills (
  team_id uuid primary key references teams (id) on delete cascade,
  filled_from timestamptz not null
);
comment on table metric_backfills is
  'Teams whose metric_sums do not have all counters yet: those of before there were sums, or from another cell. Their quarters are read meanwhile.';
comment on column metric_backfills.filled_from is 'Sums from here on are whole: a job goes back from slice to slice. Infinity: none is.';

create or replace function delete_rows_of_team() returns trigger language plpgsql as $$
begin
  -- First: whoever makes sums of the team has it locked.
  delete from metric_backfills where team_id = old.id;
  delete from search_documents where team_id = old.id;
  delete from emails where team_id = old.id;
  delete from outbox where team_id = old.id;
  delete from request_logs where team_id = old.id;
  delete from idempotency_keys where team_id = old.id;
  delete from metric_counts where team_id = old.id;
  delete from metric_sums where team_id = old.id;
  delete from received_emails where team_id = old.id;
  return old;
end $$;

-- The triggers above have locked the counters, so what is not in here has none, or all of them in its sums.
insert into metric_backfills (team_id, filled_from)
select id, 'infinity' from teams where exists (select from metric_counts c where c.team_id = teams.id);
