-- Documents of sent and received mail have partitions by time, at the same ids as their items: a period goes with its documents, and the disk has its
-- room back. A search asks the index of the periods that it has come to. Documents of what is there already are written behind, from the newest to the
-- oldest, as when a list is searched for the first time. Programs from before keep theirs in search_documents; a job deletes those two days later
-- (search.forget-old-documents). How far the new ones are is in search_progress, under the name of their table.
create table email_documents (
  team_id uuid not null,
  id uuid not null,
  words tsvector not null,
  constraint email_documents_pkey primary key (team_id, id)
) partition by range (id);
comment on table email_documents is 'The words of a sent email, by which lists are searched: as search_documents, by week.';
create index email_documents_by_words on email_documents using gin (words) with (gin_pending_list_limit = 1024);

create table received_documents (
  team_id uuid not null,
  id uuid not null,
  words tsvector not null,
  constraint received_documents_pkey primary key (team_id, id)
) partition by range (id);
comment on table received_documents is 'The words of a received email, by which lists are searched: as search_documents, by week.';
create index received_documents_by_words on received_documents using gin (words) with (gin_pending_list_limit = 1024);

do $$
declare
  of_table text[];
  one record;
  name text;
begin
  foreach of_table slice 1 in array '{{emails, email_documents}, {received_emails, received_documents}}'::text[] loop
    for one in
      select c.relname, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits h join pg_class c on c.oid = h.inhrelid
      where h.inhparent = of_table[1]::regclass order by c.relname
    loop
      name := of_table[2] || substr(one.relname, length(of_table[1]) + 1);
      execute format('create table %I (like %I including all) with (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.1)', name, of_table[2]);
      execute format('alter table %I attach partition %I %s', of_table[2], name, one.bound);
    end loop;
  end loop;
end $$;

create or replace function delete_email_parts() returns trigger language plpgsql as $$
begin
  delete from email_bodies where team_id = old.team_id and email_id = old.id;
  delete from deliveries where team_id = old.team_id and email_id = old.id;
  delete from emails_by_status where team_id = old.team_id and email_id = old.id;
  delete from email_attachments where team_id = old.team_id and email_id = old.id;
  delete from submitted_messages where team_id = old.team_id and email_id = old.id;
  delete from relayed_message_ids where team_id = old.team_id and email_id = old.id;
  delete from email_documents where team_id = old.team_id and id = old.id;
  delete from search_documents where team_id = old.team_id and kind = 'email' and id = old.id;
  delete from search_documents where team_id = old.team_id and kind = 'message' and id = old.id;
  return null;
end $$;

create or replace function delete_parts_of_received() returns trigger language plpgsql as $$
begin
  delete from received_raws where team_id = old.team_id and received_id = old.id;
  delete from received_bodies where team_id = old.team_id and received_id = old.id;
  delete from received_attachments where team_id = old.team_id and received_id = old.id;
  delete from received_documents where team_id = old.team_id and id = old.id;
  delete from search_documents where team_id = old.team_id and kind = 'received' and id = old.id;
  return null;
end $$;

create or replace function delete_rows_of_team() returns trigger language plpgsql as $$
begin
  -- First: whoever makes sums of the team has it locked.
  delete from metric_backfills where team_id = old.id;
  delete from search_documents where team_id = old.id;
  delete from email_documents where team_id = old.id;
  delete from received_documents where team_id = old.id;
  delete from emails where team_id = old.id;
  delete from outbox where team_id = old.id;
  delete from request_logs where team_id = old.id;
  delete from idempotency_keys where team_id = old.id;
  delete from metric_counts where team_id = old.id;
  delete from metric_sums where team_id = old.id;
  delete from received_emails where team_id = old.id;
  return old;
end $$;
