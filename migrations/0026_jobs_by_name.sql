-- Kinds of jobs that have places of their own are claimed apart from the others. By time alone, whoever looked for one kind in a
-- flood of another would walk through all of that.
drop index jobs_due;
create index jobs_due on jobs (name, run_at) where failed_at is null;
