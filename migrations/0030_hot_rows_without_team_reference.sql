-- A reference to teams is a share lock on the team's row for each row that is written: four for a mail. All mail of a team meets there,
-- and two transactions at a time make a multixact of it. The team of these rows comes from a key that was looked up for the request,
-- or from a row beside them; a trigger deletes them with the team.
alter table emails drop constraint emails_team_id_fkey;
alter table outbox drop constraint outbox_team_id_fkey;
alter table request_logs drop constraint request_logs_team_id_fkey;
alter table idempotency_keys drop constraint idempotency_keys_team_id_fkey;
alter table metric_counts drop constraint metric_counts_team_id_fkey;
alter table received_emails drop constraint received_emails_team_id_fkey;

create function delete_rows_of_team() returns trigger language plpgsql as $$
begin
  delete from emails where team_id = old.id;
  delete from outbox where team_id = old.id;
  delete from request_logs where team_id = old.id;
  delete from idempotency_keys where team_id = old.id;
  delete from metric_counts where team_id = old.id;
  delete from received_emails where team_id = old.id;
  return old;
end $$;

create trigger teams_delete_rows before delete on teams for each row execute function delete_rows_of_team();
