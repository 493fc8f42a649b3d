-- One way to follow the outbox. Whoever does something with events has a list of those that it has not dealt with: a table of its own, so
-- that a flood for one is no dead rows for another. Notes leave it in the transaction that does the work. A list of what is to be done
-- and not a cursor into the outbox: events commit in another order than that of their ids, and a cursor would pass by those that come late.
create table outbox_notes (
  team_id uuid not null,
  event_id uuid not null,
  constraint outbox_notes_are_of_a_subscriber check (false) no inherit
);

comment on table outbox_notes is
  'Events that somebody has still to deal with, whoever that is. Each subscriber has its own table that inherits from this one; an event stays in the outbox as long as it is in one of them.';

-- Makes the list of a subscriber, and the trigger that keeps it: a trigger, so that nobody who writes an event can forget it. `wanted` is a
-- condition on the new row `event` of the outbox; what is not wanted costs the look and no row. The condition becomes part of a function's
-- text, whose plan is kept: a statement made up at each insert would be planned at each insert. Called again, it changes what is wanted.
create function subscribe_to_outbox(notes text, wanted text) returns void language plpgsql as $make$
begin
  execute format('create table if not exists %I (primary key (team_id, event_id)) inherits (outbox_notes)
    with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)', notes);
  execute format('create or replace function %I() returns trigger language plpgsql as %L', 'note_' || notes, format(
    E'\nbegin\n  insert into %I (team_id, event_id)\n  select event.team_id, event.id from added event where %s;\n  return null;\nend ',
    notes, wanted));
  execute format('create or replace trigger %I after insert on outbox referencing new table as added
    for each statement execute function %I()', 'outbox_note_' || notes, 'note_' || notes);
end $make$;

-- The two that were there keep their lists, with what is on them.
drop trigger outbox_note_for_webhooks on outbox;
drop function note_for_webhooks;
alter table webhook_fan_outs inherit outbox_notes;
select subscribe_to_outbox('webhook_fan_outs', $$exists (
    select from webhooks w where w.team_id = event.team_id and w.status = 'enabled' and event.type = any (w.events))$$);
comment on table webhook_fan_outs is 'Events that an enabled webhook wants and that are not in webhook_deliveries yet.';

drop trigger outbox_note_for_metrics on outbox;
drop function note_for_metrics;
alter table uncounted_events inherit outbox_notes;
select subscribe_to_outbox('uncounted_events', $$event.type like 'email.%'$$);
comment on table uncounted_events is 'Events that no counter of the metrics knows of yet.';

-- A job may have a key, under which it is found again while it waits: to be moved, or taken back. While it runs another may wait, and it may
-- come back to wait beside that one, so the key is not unique. That of a job that recurs is: there is one, waiting or not.
alter table jobs rename column dedupe_key to key;
alter table jobs drop constraint jobs_dedupe_unique;
create index jobs_by_key on jobs (name, key) where key is not null;
create unique index jobs_recurring on jobs (name) where key = 'recurring';
