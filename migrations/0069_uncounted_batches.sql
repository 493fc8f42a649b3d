-- Counting takes all events of a team, in any order and many at a time, so it needs no row for each of them: one row lists up to a hundred that one
-- statement has written for a team. In a crowd that is some thirty events in a row of 500 bytes, instead of a row, an entry of the index and a deletion
-- for each.
create table outbox_batches (
  team_id uuid not null,
  event_id uuid not null,
  event_ids uuid[],
  constraint outbox_batches_are_of_a_subscriber check (false) no inherit
);

comment on table outbox_batches is
  'As outbox_notes, of subscribers that take many events of a team at a time: a row for what one statement has written. An event stays in the outbox as long as there is a row of its team with a smaller event_id.';
comment on column outbox_batches.event_id is 'The smallest of them.';
comment on column outbox_batches.event_ids is 'All of them. Null: event_id is the only one.';

create table uncounted_batches (primary key (team_id, event_id)) inherits (outbox_batches)
  with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
comment on table uncounted_batches is 'Events that no counter of the metrics knows of yet.';

create function note_uncounted_batches() returns trigger language plpgsql as $$
begin
  insert into uncounted_batches (team_id, event_id, event_ids)
  select team_id, ids[1], case when cardinality(ids) > 1 then ids end
  from (
    select team_id, array_agg(id order by id) as ids
    from (select team_id, id, row_number() over () - 1 as place from added where type like 'email.%') event
    group by team_id, place / 100) batch;
  return null;
end $$;

-- The lock on the outbox is short: what moves is what was written since events were counted last, seconds ago.
drop trigger outbox_note_uncounted_events on outbox;
drop function note_uncounted_events;
create trigger outbox_note_uncounted_batches after insert on outbox
  referencing new table as added for each statement execute function note_uncounted_batches();
with moved as (delete from uncounted_events returning team_id, event_id)
insert into uncounted_batches (team_id, event_id) select team_id, event_id from moved;
comment on table uncounted_events is 'Nothing, since there is uncounted_batches: processes from before look here, and find nothing to count.';
