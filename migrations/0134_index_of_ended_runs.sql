-- no transaction
-- Runs that ended long ago are found by their age over all teams: the index by team stays for teams with a period of their own.
create index concurrently if not exists automation_runs_ended on automation_runs (completed_at) where completed_at is not null;
