-- Blobs that no row names: not yet, or not any more. A key is noted before its blob is written, and the statement that names the blob
-- takes the note away; what a crash leaves in between is swept a day later. A note and not a look through the store: only what this
-- database itself has noted is ever removed, so a restore that is behind, or a wrong database, cannot empty a bucket.
create table loose_blobs (
  key text collate "C" primary key,
  noted_at timestamptz not null default now(),
  -- The sweep has taken it, and nobody may name it any more.
  is_doomed boolean not null default false
);

-- The key of a blob, for the row that names it from now on. Whoever comes when the blob is being swept is refused: rather no email
-- than one without its attachment.
create function take_blob(wanted text) returns text language plpgsql as $$
begin
  delete from loose_blobs where key = wanted and not is_doomed;
  if not found then raise exception 'The blob % is not waiting for a name', wanted; end if;
  return wanted;
end $$;

-- Triggers, so that whatever deletes a message (today only the end of its team) need not know of blobs.
create function note_unnamed_blob() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'received_emails' then
    insert into loose_blobs (key) values (old.raw_blob) on conflict (key) do nothing;
  else
    insert into loose_blobs (key) values (old.blob) on conflict (key) do nothing;
  end if;
  return null;
end $$;

create trigger email_attachments_note_blob after delete on email_attachments
  for each row execute function note_unnamed_blob();
create trigger received_attachments_note_blob after delete on received_attachments
  for each row execute function note_unnamed_blob();
create trigger received_emails_note_blob after delete on received_emails
  for each row when (old.raw_blob is not null) execute function note_unnamed_blob();
