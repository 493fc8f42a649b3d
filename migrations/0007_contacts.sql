-- Values of custom properties are kept under the id of the property, not its key: a property that is deleted and made again
-- starts empty, and deleting one need not touch a million contacts.
create table contacts (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  email text not null,
  first_name text,
  last_name text,
  unsubscribed boolean not null default false,
  properties jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id)
);

-- One contact for each address of a team, however it is spelled.
create unique index contacts_email_unique on contacts (team_id, lower(email));

-- The foreign keys carry the team, so the database itself refuses a link between two teams.
create table contact_segments (
  team_id uuid not null,
  contact_id uuid not null,
  segment_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (team_id, contact_id, segment_id),
  foreign key (team_id, contact_id) references contacts (team_id, id) on delete cascade,
  foreign key (team_id, segment_id) references segments (team_id, id) on delete cascade
);

create index contact_segments_by_segment on contact_segments (team_id, segment_id, contact_id);

-- Only explicit choices; without one the topic's default counts.
create table contact_topics (
  team_id uuid not null,
  contact_id uuid not null,
  topic_id uuid not null,
  subscription text not null constraint contact_topics_subscription_known check (subscription in ('opt_in', 'opt_out')),
  updated_at timestamptz not null default now(),
  primary key (team_id, contact_id, topic_id),
  foreign key (team_id, contact_id) references contacts (team_id, id) on delete cascade,
  foreign key (team_id, topic_id) references topics (team_id, id) on delete cascade
);

create index contact_topics_by_topic on contact_topics (team_id, topic_id, contact_id);
