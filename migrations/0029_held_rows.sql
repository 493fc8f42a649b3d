-- What a node holds stays where it is in the line: due_at and run_at say when a row is due and nothing else. The node's own row is the
-- lease of all that it holds, so a claim moves no times, and what is taken over is as old as it was.
-- In deliveries claims tells one claim from any other, as in webhook_deliveries; attempts goes down again when a row was not tried.
alter table deliveries add column claims integer not null default 0;
update deliveries set holder = null, due_at = now() where holder is not null;
drop index deliveries_due;
create index deliveries_due on deliveries (priority, due_at) where state = 'waiting' and holder is null;

alter table jobs add column claims integer not null default 0;
update jobs set holder = null, run_at = now() where holder is not null;
drop index jobs_due;
create index jobs_due on jobs (name, run_at) where failed_at is null and holder is null;

update webhook_deliveries set holder = null, due_at = now() where holder is not null;
drop index webhook_deliveries_due;
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, event_id) where due_at is not null and holder is null;
