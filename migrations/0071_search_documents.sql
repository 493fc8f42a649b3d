-- What lists are searched by: a document for each item, with its words. Items that are written in crowds (emails, logs) get theirs behind the
-- write, in the order of their ids; those that change (contacts, templates, broadcasts, suppressions) are noted when they do. Who searches
-- makes up for what is missing first, so that what was written a moment ago is found, and accepting an email costs what it did.
create table search_documents (
  team_id uuid not null,
  kind text not null,
  id uuid not null,
  words tsvector not null,
  constraint search_documents_pkey primary key (team_id, kind, id)
) with (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.1);
comment on table search_documents is 'The words of an item, by which lists are searched. Made from the item, and made again when it changes.';
comment on column search_documents.words is 'Each with the team, the kind and the field in front, so that a search goes through its own entries only.';

-- New documents wait in a list that is merged into the index in one go: a word that thousands of them have is written once then.
create index search_documents_by_words on search_documents using gin (words) with (gin_pending_list_limit = 1024);

create table search_progress (
  team_id uuid not null,
  kind text not null,
  low uuid not null,
  high uuid not null,
  searched_at timestamptz,
  constraint search_progress_pkey primary key (team_id, kind),
  constraint search_progress_team_id_fkey foreign key (team_id) references teams (id) on delete cascade
);
comment on table search_progress is 'Which items of a kind have their documents, of those that get them in the order of their ids.';
comment on column search_progress.low is 'From here up to high every item has its document. What is older gets it later, from the newest to the oldest.';
comment on column search_progress.high is 'Above it some items may have none yet.';
comment on column search_progress.searched_at is 'When somebody has searched this kind, about.';

create table search_changes (
  team_id uuid not null,
  kind text not null,
  id uuid not null
) with (autovacuum_vacuum_scale_factor = 0.02);
create index search_changes_by_team on search_changes (team_id, kind, id);
comment on table search_changes is 'Items whose document is missing or old. One that changed twice may be here twice: whoever makes its document deletes what was there before.';

create function note_search_change() returns trigger language plpgsql as $$
begin
  insert into search_changes (team_id, kind, id) values (new.team_id, tg_argv[0], new.id);
  return null;
end $$;

create function note_search_additions() returns trigger language plpgsql as $$
begin
  insert into search_changes (team_id, kind, id) select team_id, tg_argv[0], id from added;
  return null;
end $$;

create function delete_search_documents() returns trigger language plpgsql as $$
begin
  delete from search_documents d using gone g where d.team_id = g.team_id and d.kind = tg_argv[0] and d.id = g.id;
  return null;
end $$;

create trigger contacts_note_search_additions after insert on contacts
  referencing new table as added for each statement execute function note_search_additions('contact');
create trigger contacts_note_search_change after update on contacts for each row
  when (new.email <> old.email or new.first_name is distinct from old.first_name
    or new.last_name is distinct from old.last_name or new.unsubscribed <> old.unsubscribed)
  execute function note_search_change('contact');
create trigger contacts_delete_search_documents after delete on contacts
  referencing old table as gone for each statement execute function delete_search_documents('contact');

create trigger templates_note_search_addition after insert on templates for each row execute function note_search_change('template');
create trigger templates_note_search_change after update on templates for each row execute function note_search_change('template');
create trigger templates_delete_search_documents after delete on templates
  referencing old table as gone for each statement execute function delete_search_documents('template');

create trigger broadcasts_note_search_addition after insert on broadcasts for each row execute function note_search_change('broadcast');
create trigger broadcasts_note_search_change after update on broadcasts for each row
  when (new.name <> old.name or new.subject <> old.subject or new."from" <> old."from" or new.status <> old.status)
  execute function note_search_change('broadcast');
create trigger broadcasts_delete_search_documents after delete on broadcasts
  referencing old table as gone for each statement execute function delete_search_documents('broadcast');

create trigger suppressions_note_search_additions after insert on suppressions
  referencing new table as added for each statement execute function note_search_additions('suppression');
create trigger suppressions_note_search_change after update on suppressions for each row
  when (new.email <> old.email or new.origin <> old.origin) execute function note_search_change('suppression');
create trigger suppressions_delete_search_documents after delete on suppressions
  referencing old table as gone for each statement execute function delete_search_documents('suppression');

create trigger request_logs_delete_search_documents after delete on request_logs
  referencing old table as gone for each statement execute function delete_search_documents('log');

-- By row, as the other parts of an email: the plans are by key, whatever the statistics say.
create or replace function delete_email_parts() returns trigger language plpgsql as $$
begin
  delete from email_bodies where team_id = old.team_id and email_id = old.id;
  delete from deliveries where team_id = old.team_id and email_id = old.id;
  delete from search_documents where team_id = old.team_id and kind = 'email' and id = old.id;
  delete from search_documents where team_id = old.team_id and kind = 'message' and id = old.id;
  return null;
end $$;

create or replace function delete_parts_of_received() returns trigger language plpgsql as $$
begin
  delete from received_raws where team_id = old.team_id and received_id = old.id;
  delete from received_bodies where team_id = old.team_id and received_id = old.id;
  delete from search_documents where team_id = old.team_id and kind = 'received' and id = old.id;
  return null;
end $$;

create or replace function delete_rows_of_team() returns trigger language plpgsql as $$
begin
  delete from search_documents where team_id = old.id;
  delete from emails where team_id = old.id;
  delete from outbox where team_id = old.id;
  delete from request_logs where team_id = old.id;
  delete from idempotency_keys where team_id = old.id;
  delete from metric_counts where team_id = old.id;
  delete from received_emails where team_id = old.id;
  return old;
end $$;

create function delete_search_changes_of_team() returns trigger language plpgsql as $$
begin
  delete from search_changes where team_id = old.id;
  return null;
end $$;
create trigger teams_delete_search_changes after delete on teams for each row execute function delete_search_changes_of_team();

-- What is there already: 1 s for 300,000 contacts. Emails and logs need nothing here.
insert into search_changes (team_id, kind, id)
select team_id, 'contact', id from contacts
union all select team_id, 'template', id from templates
union all select team_id, 'broadcast', id from broadcasts
union all select team_id, 'suppression', id from suppressions;
