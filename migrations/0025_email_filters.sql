-- What the filters of GET /emails look into. Measured with a million emails: a filter that fits a handful took 0.4 s (status, tag) and
-- 1.5 s (recipient) along the list, and takes 1 to 8 ms with these. Accepting and settling an email costs PostgreSQL 0.5 ms; what
-- each of these adds to it is told beside it.

-- Emails whose status is not one that nearly all emails have or pass through. A table and not an index: an index on last_event
-- would end the cheap (HOT) updates of emails, and so be paid for with every change of every status. This one costs a delivered
-- email nothing that could be measured; the two statuses left out are found on the way along the list, or by who is still waiting.
create table emails_by_status (
  team_id uuid not null,
  status text not null,
  email_id uuid not null,
  primary key (team_id, status, email_id),
  foreign key (team_id, email_id) references emails (team_id, id) on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.02);

create function is_status_listed(status text) returns boolean language sql immutable parallel safe
  return status not in ('sent', 'delivered');

-- Triggers, so that nobody who changes a status can forget it.
create function list_email_status() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from emails_by_status where team_id = old.team_id and status = old.last_event and email_id = old.id;
  end if;
  if is_status_listed(new.last_event) then
    insert into emails_by_status (team_id, status, email_id) values (new.team_id, new.last_event, new.id);
  end if;
  return null;
end $$;

create trigger emails_list_first_status after insert on emails
  for each row when (is_status_listed(new.last_event)) execute function list_email_status();

create trigger emails_list_status after update on emails
  for each row when (old.last_event <> new.last_event and (is_status_listed(old.last_event) or is_status_listed(new.last_event)))
  execute function list_email_status();

insert into emails_by_status (team_id, status, email_id)
select team_id, last_event, id from emails where is_status_listed(last_event);

-- Where in the ledger a recipient may be: a Bloom filter for every 16 pages, 3 to 7 MB for a million. A row of the ledger is written
-- three times in its life, and each time into every index: a B-tree took 36 µs and 2.5 kB of log for an email, this takes 0 to 5 µs.
create index deliveries_by_recipient on deliveries
  using brin (lower(recipient) text_bloom_ops (n_distinct_per_range = 1000)) with (pages_per_range = 16);

-- Tags never change, and mail without them is not in here: 2.4 µs for an email with two.
create index emails_by_tag on emails using gin (tags jsonb_path_ops) where tags is not null;
