-- What looks for work costs the same with one team and with 100,000.

-- Who has searched of late, and whose older items have no documents yet: the jobs that write documents went through all teams.
create index search_progress_searched on search_progress (kind, searched_at) where searched_at is not null;
create index search_progress_unfinished on search_progress (kind, team_id) where low > '00000000-0000-0000-0000-000000000000';

-- Every process asks once in a second whether limits have changed, and added up the versions of all of them.
create table team_limit_changes (
  is_only boolean primary key default true check (is_only),
  count bigint not null
) with (fillfactor = 50);
comment on table team_limit_changes is 'How often limits of teams have changed. One row, or none.';
-- Once for a statement that has changed any: a statement without rows fires triggers, too.
create function count_team_limit_change() returns trigger language plpgsql as $$
begin
  if exists (select from changed_rows) then
    insert into team_limit_changes as known (count) values (1) on conflict (is_only) do update set count = known.count + 1;
  end if;
  return null;
end $$;
create trigger team_limits_added after insert on team_limits referencing new table as changed_rows
  for each statement execute function count_team_limit_change();
create trigger team_limits_changed after update on team_limits referencing new table as changed_rows
  for each statement execute function count_team_limit_change();
create trigger team_limits_deleted after delete on team_limits referencing old table as changed_rows
  for each statement execute function count_team_limit_change();

-- Which webhooks have a delivery that is due: a claim asked each one that has anything waiting, also of those that are tried again in some hours.
create table webhook_next_due (
  team_id uuid not null,
  webhook_id uuid not null,
  due_at timestamptz not null,
  primary key (team_id, webhook_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index webhook_next_due_by_time on webhook_next_due (due_at);
comment on table webhook_next_due is
  'No delivery of the webhook is due before this, in real time. It may be earlier than the first one that is: whoever finds nothing due corrects it. Webhooks without a row have none that waits, or are disabled.';

-- Triggers, so that nobody who makes a delivery due can forget it. The row is locked also when it stays as it is: see correctNextDue.
create function note_webhook_next_due() returns trigger language plpgsql as $$
begin
  insert into webhook_next_due as known (team_id, webhook_id, due_at)
  select team_id, webhook_id, min(due_at) from new_rows where due_at is not null and holder is null
  group by team_id, webhook_id order by team_id, webhook_id
  on conflict (team_id, webhook_id) do update set due_at = excluded.due_at where excluded.due_at < known.due_at;
  return null;
end $$;
create trigger webhook_deliveries_added after insert on webhook_deliveries referencing new table as new_rows
  for each statement execute function note_webhook_next_due();
create trigger webhook_deliveries_changed after update on webhook_deliveries referencing new table as new_rows
  for each statement execute function note_webhook_next_due();

-- What waits for a webhook that is enabled again is due.
create function note_enabled_webhook() returns trigger language plpgsql as $$
begin
  insert into webhook_next_due (team_id, webhook_id, due_at) values (new.team_id, new.id, '-infinity')
  on conflict (team_id, webhook_id) do update set due_at = excluded.due_at;
  return null;
end $$;
create trigger webhooks_enabled after update of status on webhooks
  for each row when (old.status <> 'enabled' and new.status = 'enabled') execute function note_enabled_webhook();

insert into webhook_next_due (team_id, webhook_id, due_at)
select team_id, webhook_id, min(due_at) from webhook_deliveries where due_at is not null and holder is null group by team_id, webhook_id;
