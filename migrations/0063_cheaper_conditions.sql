-- PostgreSQL reads the conditions of triggers and constraints anew in every statement that writes a row, so they are written to be read fast: a list of
-- constants is one array, and which statuses are listed (`is_status_listed`) is written out in the triggers, where the function was looked up and put in
-- its place each time. They mean what they meant. The lock is short: rows that are there are looked at by the next migration.
create or replace trigger emails_list_first_status after insert on emails
  for each row when (new.last_event <> all ('{sent,delivered}'::text[])) execute function list_email_status();

create or replace trigger emails_list_status after update on emails
  for each row when (old.last_event <> new.last_event
    and (old.last_event <> all ('{sent,delivered}'::text[]) or new.last_event <> all ('{sent,delivered}'::text[])))
  execute function list_email_status();

alter table emails
  drop constraint emails_last_event_known,
  add constraint emails_last_event_known check (last_event = any (
    '{bounced,canceled,clicked,complained,delivered,delivery_delayed,failed,opened,queued,scheduled,sent,suppressed}'::text[])) not valid;
