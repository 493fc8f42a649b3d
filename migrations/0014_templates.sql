-- A template is its name, its alias and the versions of its content. The current version is what editors see, the published one
-- what mail is made of; nothing else is kept.
create table templates (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  name text not null,
  alias text,
  current_version_id uuid not null,
  published_version_id uuid,
  published_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint templates_alias_unique unique (team_id, alias),
  constraint templates_published_iff_dated check ((published_version_id is null) = (published_at is null))
);

-- Never changed: an edit writes the next one.
create table template_versions (
  team_id uuid not null,
  id uuid not null,
  template_id uuid not null,
  "from" text,
  subject text,
  reply_to text[],
  html text not null,
  text text,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  foreign key (team_id, template_id) references templates (team_id, id) on delete cascade
);

create index template_versions_by_template on template_versions (team_id, template_id);

-- Template and version point at each other, so one of the two is checked at the end of the transaction.
alter table templates
  add constraint templates_current_exists foreign key (team_id, current_version_id)
    references template_versions (team_id, id) deferrable initially deferred,
  add constraint templates_published_exists foreign key (team_id, published_version_id)
    references template_versions (team_id, id) deferrable initially deferred;

-- A variable keeps its id and its age from version to version.
create table template_variables (
  team_id uuid not null,
  version_id uuid not null,
  key text not null,
  id uuid not null,
  position integer not null,
  type text not null constraint template_variables_type_known
    check (type in ('string', 'number', 'boolean', 'object', 'list')),
  fallback_value jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, version_id, key),
  foreign key (team_id, version_id) references template_versions (team_id, id) on delete cascade,
  constraint template_variables_fallback_fits check (fallback_value is null
    or jsonb_typeof(fallback_value) = case type when 'list' then 'array' else type end)
);
