-- Documents of the email editor. Each belongs to a template or a broadcast and goes with it; its html and text are there, composed from it.
create table editor_documents (
  team_id uuid not null,
  template_id uuid,
  broadcast_id uuid,
  resource_id uuid not null generated always as (coalesce(template_id, broadcast_id)) stored,
  version integer not null,
  html_hash bytea not null,
  text_hash bytea not null,
  primary key (team_id, resource_id),
  constraint editor_documents_of_one_resource check (num_nonnulls(template_id, broadcast_id) = 1),
  constraint editor_documents_template_fkey foreign key (team_id, template_id) references templates (team_id, id) on delete cascade,
  constraint editor_documents_broadcast_fkey foreign key (team_id, broadcast_id) references broadcasts (team_id, id) on delete cascade
);

comment on table editor_documents is 'Documents of the email editor, each beside a template or a broadcast.';
comment on column editor_documents.version is 'The number of the current version. Grows with every save.';
comment on column editor_documents.html_hash is 'SHA-256 of the html that was composed from the current version: html that differs was written directly.';

-- A copy of a template or broadcast has the html of the document that it was copied from.
create index editor_documents_by_html on editor_documents (team_id, html_hash);

-- What a deletion of a template or a broadcast looks for.
create index editor_documents_by_template on editor_documents (team_id, template_id) where template_id is not null;
create index editor_documents_by_broadcast on editor_documents (team_id, broadcast_id) where broadcast_id is not null;

create table editor_versions (
  team_id uuid not null,
  resource_id uuid not null,
  id uuid not null,
  version integer not null,
  content json not null,
  html text,
  text text,
  author_type text,
  author_id uuid,
  author_name text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, id),
  constraint editor_versions_author_is_whole check (num_nulls(author_type, author_id, author_name) in (0, 3)),
  constraint editor_versions_number_unique unique (team_id, resource_id, version),
  constraint editor_versions_document_fkey foreign key (team_id, resource_id) references editor_documents (team_id, resource_id) on delete cascade
);

comment on table editor_versions is 'What one author saved of a document without a long pause. The newest ones are kept.';
comment on column editor_versions.html is 'Only of html that was written directly: restoring the version writes it as it was.';

create table editor_connections (
  team_id uuid not null,
  template_id uuid,
  broadcast_id uuid,
  resource_id uuid not null generated always as (coalesce(template_id, broadcast_id)) stored,
  id uuid not null,
  author_type text not null,
  author_id uuid not null,
  agent_name text not null,
  name text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (team_id, resource_id, id),
  constraint editor_connections_author_unique unique (team_id, resource_id, author_type, author_id, agent_name),
  constraint editor_connections_of_one_resource check (num_nonnulls(template_id, broadcast_id) = 1),
  constraint editor_connections_template_fkey foreign key (team_id, template_id) references templates (team_id, id) on delete cascade,
  constraint editor_connections_broadcast_fkey foreign key (team_id, broadcast_id) references broadcasts (team_id, id) on delete cascade
);

comment on table editor_connections is 'Who has a document open, by lease.';

create index editor_connections_by_template on editor_connections (team_id, template_id) where template_id is not null;
create index editor_connections_by_broadcast on editor_connections (team_id, broadcast_id) where broadcast_id is not null;

create table editor_images (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  hash bytea not null,
  blob text not null,
  filename text,
  content_type text not null,
  size integer not null,
  width integer,
  height integer,
  created_at timestamptz not null,
  primary key (team_id, id),
  constraint editor_images_hash_unique unique (team_id, hash)
);

comment on table editor_images is 'Images of emails, at public addresses. Kept until they are deleted: mail that has left shows them.';
comment on column editor_images.hash is 'SHA-256 of the file: what is uploaded twice is kept once.';

create trigger editor_images_note_blob after delete on editor_images
  for each row execute function note_unnamed_blob();
