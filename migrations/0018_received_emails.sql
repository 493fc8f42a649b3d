-- Mail that arrived. What its header says is written with the 250; the rest when it has been read, which is a moment later or when
-- somebody asks for it, whichever is first.
create table received_emails (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  "from" text not null,
  "to" jsonb not null,
  cc jsonb not null,
  bcc jsonb not null,
  reply_to jsonb not null,
  -- The recipients of the envelope that made us take it.
  received_for jsonb not null,
  subject text,
  message_id text,
  envelope_from text not null,
  client_address text not null,
  helo text not null,
  size bigint not null,
  -- Where the raw message is in the blob store; null: in received_raws.
  raw_blob text,
  -- What SPF, DKIM, DMARC and ARC say about it, once they were asked.
  authentication jsonb,
  read_at timestamptz,
  created_at timestamptz not null,
  primary key (team_id, id)
);

-- Small messages are here and not in files: one commit makes many of them durable at once. They are not compressed: that would be
-- most of the work of taking them.
create table received_raws (
  team_id uuid not null,
  received_id uuid not null,
  raw bytea not null,
  primary key (team_id, received_id),
  foreign key (team_id, received_id) references received_emails (team_id, id) on delete cascade
);
alter table received_raws alter column raw set storage external;

create table received_bodies (
  team_id uuid not null,
  received_id uuid not null,
  headers jsonb not null,
  html text,
  text text,
  -- What was cut off or could not be read, in words.
  faults jsonb not null,
  primary key (team_id, received_id),
  foreign key (team_id, received_id) references received_emails (team_id, id) on delete cascade
);

create table received_attachments (
  team_id uuid not null,
  received_id uuid not null,
  id uuid not null,
  filename text,
  content_type text not null,
  content_id text,
  content_disposition text constraint received_attachments_disposition_known check (content_disposition in ('inline', 'attachment')),
  size bigint not null,
  blob text not null,
  created_at timestamptz not null default now(),
  primary key (team_id, received_id, id),
  foreign key (team_id, received_id) references received_emails (team_id, id) on delete cascade
);

-- What came back to the return path of an email, until it has been read. It has no team of its own: its email has.
create table delivery_reports (
  id uuid primary key,
  email_id uuid not null,
  raw bytea not null,
  created_at timestamptz not null default now()
);
alter table delivery_reports alter column raw set storage external;
