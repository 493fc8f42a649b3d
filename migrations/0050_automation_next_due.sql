-- Which teams have a run that is due: to ask each team that waits took 10,000 index probes with 10,000 of them, at each look of a worker.
create table automation_next_due (
  team_id uuid primary key references teams (id),
  due_at timestamptz not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index automation_next_due_by_time on automation_next_due (due_at);
comment on table automation_next_due is
  'No run of the team is due before this, in real time. It may be earlier than the first one that is: whoever looks then corrects it. Teams without a row have none that waits for a time.';

-- A trigger, so that nobody who makes a run due can forget it: the engine, the API, the clocks of sandboxes. What ends or is deleted leaves the
-- row as it is.
create function note_automation_next_due() returns trigger language plpgsql as $$
begin
  insert into automation_next_due as known (team_id, due_at)
  select team_id, min(due_at) from new_rows where due_at is not null group by team_id order by team_id
  on conflict (team_id) do update set due_at = excluded.due_at where excluded.due_at < known.due_at;
  return null;
end $$;
-- They wait for writers, and keep them out until this migration has ended: so the rows that follow miss nothing.
create trigger automation_runs_added after insert on automation_runs referencing new table as new_rows
  for each statement execute function note_automation_next_due();
create trigger automation_runs_changed after update on automation_runs referencing new table as new_rows
  for each statement execute function note_automation_next_due();

insert into automation_next_due (team_id, due_at)
select team_id, min(due_at) from automation_runs where due_at is not null group by team_id;
