-- What was accepted. The bodies are apart: a list of emails must not drag them along, and a change of last_event not rewrite them.
create table emails (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  message_id text not null,
  "from" text not null,
  "to" jsonb not null,
  cc jsonb,
  bcc jsonb,
  reply_to jsonb,
  subject text not null,
  headers jsonb,
  tags jsonb,
  topic_id uuid,
  template_id uuid,
  domain_id uuid,
  api_key_id uuid,
  scheduled_at timestamptz,
  last_event text not null constraint emails_last_event_known check (last_event in ('bounced', 'canceled', 'clicked',
    'complained', 'delivered', 'delivery_delayed', 'failed', 'opened', 'queued', 'scheduled', 'sent', 'suppressed')),
  created_at timestamptz not null,
  primary key (team_id, id)
) with (fillfactor = 80);

create table email_bodies (
  team_id uuid not null,
  email_id uuid not null,
  html text,
  text text,
  primary key (team_id, email_id),
  foreign key (team_id, email_id) references emails (team_id, id) on delete cascade
);

-- Only what describes an attachment; its content is in the blob store under `blob`.
create table email_attachments (
  team_id uuid not null,
  id uuid not null,
  email_id uuid not null,
  filename text,
  content_type text not null,
  content_id text,
  size bigint not null,
  blob text not null,
  created_at timestamptz not null default now(),
  primary key (team_id, email_id, id),
  foreign key (team_id, email_id) references emails (team_id, id) on delete cascade
);
