-- How often the process of a job ended while it ran. Counted for kinds that read what strangers wrote: one that keeps ending processes
-- is set aside. The index holds the few that are under suspicion, which are claimed apart from the others.
alter table jobs add column crashes integer not null default 0;
create index jobs_suspected on jobs (run_at) where crashes > 0 and failed_at is null and holder is null;
