-- contract: programs from before delete events and logs by their place in a table (ctid), which says nothing in a table with partitions

-- Mail and events in partitions by time, along their ids. What is there becomes the partition NAME_before as it is, which takes 0.1 s for any
-- number of rows. Beside it: NAME_later, for ids beyond the periods that are made ahead, and NAME_sandboxes, whose ids begin with the bit 1.
-- No row has no place. Periods between them are made by the job `partitions.make`.
--
-- Rows of one email are in several of these tables, and refer to each other without foreign keys: a partition goes as a whole. When a row goes
-- alone, triggers delete its parts.
lock table emails, email_bodies, email_attachments, submitted_messages, relayed_message_ids, emails_by_status, metric_facts, deliveries,
  received_emails, received_bodies, received_raws, received_attachments, outbox, webhook_deliveries, webhook_attempts, request_logs
  in access exclusive mode;

alter table email_attachments drop constraint email_attachments_team_id_email_id_fkey;
alter table submitted_messages drop constraint submitted_messages_team_id_email_id_fkey;
alter table relayed_message_ids drop constraint relayed_message_ids_team_id_email_id_fkey;
alter table emails_by_status drop constraint emails_by_status_team_id_email_id_fkey;
alter table received_attachments drop constraint received_attachments_team_id_received_id_fkey;

create or replace function delete_email_parts() returns trigger language plpgsql as $$
begin
  delete from email_bodies where team_id = old.team_id and email_id = old.id;
  delete from deliveries where team_id = old.team_id and email_id = old.id;
  delete from emails_by_status where team_id = old.team_id and email_id = old.id;
  delete from email_attachments where team_id = old.team_id and email_id = old.id;
  delete from submitted_messages where team_id = old.team_id and email_id = old.id;
  delete from relayed_message_ids where team_id = old.team_id and email_id = old.id;
  delete from search_documents where team_id = old.team_id and kind = 'email' and id = old.id;
  delete from search_documents where team_id = old.team_id and kind = 'message' and id = old.id;
  return null;
end $$;

create or replace function delete_parts_of_received() returns trigger language plpgsql as $$
begin
  delete from received_raws where team_id = old.team_id and received_id = old.id;
  delete from received_bodies where team_id = old.team_id and received_id = old.id;
  delete from received_attachments where team_id = old.team_id and received_id = old.id;
  delete from search_documents where team_id = old.team_id and kind = 'received' and id = old.id;
  return null;
end $$;

-- Blobs of rows that went alone. A partition that is dropped fires no trigger: whoever drops it notes its blobs first.
create or replace function note_unnamed_blob() returns trigger language plpgsql as $$
begin
  insert into loose_blobs (key, noted_at)
  values (coalesce(to_jsonb(old) ->> 'blob', to_jsonb(old) ->> 'raw_blob'), now()) on conflict (key) do nothing;
  return null;
end $$;

-- A table of the shape of another one, with its indexes and settings: a partition before it is attached. A table with partitions has no settings of
-- its own: those of its first partition count.
create function create_partition(like_table regclass, name text) returns void language plpgsql as $$
begin
  execute format('create table %I (like %s including all) %s', name, like_table, (
    select 'with (' || array_to_string(c.reloptions, ', ') || ')' from pg_class c
    where c.oid = like_table or c.oid in (select h.inhrelid from pg_inherits h where h.inhparent = like_table)
    order by c.reloptions is null, c.relname limit 1));
end $$;

-- Lets a table be the first partition of one of its name, which gets its indexes and triggers.
create function part_by_time(parted regclass) returns void language plpgsql as $$
declare
  name constant text := (select relname from pg_class where oid = parted);
  key_of constant text := (
    select a.attname from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.conrelid = parted and k.conname = name || '_before_bound');
  bound constant text := (
    select substring(pg_get_constraintdef(oid) from '[0-9a-f]{8}-[0-9a-f-]{27}') from pg_constraint where conrelid = parted and conname = name || '_before_bound');
  primary_key constant text := (select pg_get_constraintdef(oid) from pg_constraint where conrelid = parted and contype = 'p');
  description constant text := obj_description(parted, 'pg_class');
  indexes constant text[] := array(
    select pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid = parted and not i.indisprimary order by i.indexrelid);
  triggers constant text[] := array(
    select pg_get_triggerdef(t.oid) from pg_trigger t where t.tgrelid = parted and not t.tgisinternal order by t.tgname);
  one record;
  definition text;
begin
  for one in select tgname from pg_trigger t where t.tgrelid = parted and not t.tgisinternal loop
    execute format('drop trigger %I on %s', one.tgname, parted);
  end loop;
  for one in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = parted loop
    execute format('alter index %I rename to %I', one.relname, name || '_before' || substr(one.relname, length(name) + 1));
  end loop;
  execute format('alter table %I rename to %I', name, name || '_before');
  execute format('create table %I (like %I including defaults including constraints including storage including compression including comments)
    partition by range (%I)', name, name || '_before', key_of);
  execute format('alter table %I drop constraint %I', name, name || '_before_bound');
  execute format('alter table %I add constraint %I %s', name, name || '_pkey', primary_key);
  execute format('comment on table %I is %L', name, description);
  foreach definition in array indexes loop execute definition; end loop;
  execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', name, name || '_before', bound);
  execute format('alter table %I drop constraint %I', name || '_before', name || '_before_bound');
  execute format('comment on table %I is null', name || '_before');
  perform create_partition(name::regclass, name || '_later');
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', name, name || '_later', bound, '80000000-0000-0000-0000-000000000000');
  perform create_partition(name::regclass, name || '_sandboxes');
  execute format('alter table %I attach partition %I for values from (%L) to (maxvalue)', name, name || '_sandboxes', '80000000-0000-0000-0000-000000000000');
  foreach definition in array triggers loop execute definition; end loop;
end $$;

select part_by_time(name::regclass) from unnest('{emails, email_bodies, email_attachments, submitted_messages, relayed_message_ids, emails_by_status,
  metric_facts, received_emails, received_bodies, received_raws, received_attachments, outbox, webhook_deliveries, webhook_attempts, request_logs}'::text[]) name;

-- The ledger: what waits is a small table of its own, the queue, and settling a row moves it into history, since its state is what says in which
-- of them it is. Rows from before stay where they are, until they are settled and past their time.
do $$
declare
  bound constant text := (select substring(pg_get_constraintdef(oid) from '[0-9a-f]{8}-[0-9a-f-]{27}') from pg_constraint where conname = 'deliveries_before_bound');
  sandboxes constant text := '80000000-0000-0000-0000-000000000000';
  description constant text := obj_description('deliveries'::regclass, 'pg_class');
  one record;
begin
  for one in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'deliveries'::regclass loop
    execute format('alter index %I rename to %I', one.relname, 'deliveries_before' || substr(one.relname, length('deliveries') + 1));
  end loop;
  alter table deliveries rename to deliveries_before;
  create table deliveries (like deliveries_before including defaults including constraints including storage including comments) partition by range (email_id);
  alter table deliveries drop constraint deliveries_before_bound;
  execute format('comment on table deliveries is %L', description);
  execute format('alter table deliveries attach partition deliveries_before for values from (minvalue) to (%L)', bound);
  alter table deliveries_before drop constraint deliveries_before_bound;
  comment on table deliveries_before is null;
  create table deliveries_sandboxes (like deliveries including defaults including constraints including storage) with
    (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
  create table waiting_deliveries (like deliveries including defaults including constraints including storage) with
    (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
  for one in select pg_get_indexdef(i.indexrelid) as definition from pg_index i where i.indrelid = 'deliveries_before'::regclass order by i.indexrelid loop
    execute replace(one.definition, 'deliveries_before', 'deliveries_sandboxes');
    continue when one.definition ~ '_(by_recipient|of_sandboxes) ON ';
    execute replace(one.definition, 'deliveries_before', 'waiting_deliveries');
  end loop;
  alter table deliveries_sandboxes add primary key using index deliveries_sandboxes_pkey;
  alter table waiting_deliveries add primary key using index waiting_deliveries_pkey;
  execute format('alter table deliveries attach partition deliveries_sandboxes for values from (%L) to (maxvalue)', sandboxes);
  execute format('create table deliveries_now partition of deliveries for values from (%L) to (%L) partition by list (state)', bound, sandboxes);
  alter table deliveries_now attach partition waiting_deliveries for values in ('waiting');
  create table settled_deliveries partition of deliveries_now for values in ('delivered', 'bounced', 'suppressed', 'failed', 'canceled')
    partition by range (email_id);
  alter table settled_deliveries add primary key (team_id, email_id, position);
  create index settled_deliveries_by_recipient on settled_deliveries
    using brin (lower(recipient) text_bloom_ops (n_distinct_per_range = 1000)) with (pages_per_range = 16);
  execute format('create table settled_deliveries_later partition of settled_deliveries for values from (%L) to (%L)', bound, sandboxes);
end $$;
comment on table waiting_deliveries is 'The queue: rows of the ledger that wait. Small and hot, whatever history there is.';
comment on table settled_deliveries is 'History of the ledger, by week. A row that is settled moves here from the queue.';

drop function part_by_time;

-- These deleted by place (ctid), which is not unique over partitions. Others have taken over under new names.
delete from jobs where key = 'recurring' and name in ('outbox.sweep', 'logs.sweep');
