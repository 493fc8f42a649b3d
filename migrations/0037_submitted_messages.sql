-- Messages that clients submitted by SMTP, as they came: they leave so. What the API shows of them is in emails, email_bodies and
-- email_attachments, as for any other email.
create table submitted_messages (
  team_id uuid not null,
  email_id uuid not null,
  size bigint not null,
  -- The message itself, or where it is in the blob store. Not compressed: that would be most of the work of taking it.
  raw bytea,
  blob text,
  -- Where in it are the parts that may have to change on their way out.
  layout jsonb not null,
  -- Of its html as far as it can be tracked, as it is encoded.
  html_bytes bigint not null,
  primary key (team_id, email_id),
  foreign key (team_id, email_id) references emails (team_id, id) on delete cascade,
  constraint submitted_messages_in_one_place check ((raw is null) <> (blob is null))
);
alter table submitted_messages alter column raw set storage external;

create trigger submitted_messages_note_blob after delete on submitted_messages
  for each row when (old.blob is not null) execute function note_unnamed_blob();
