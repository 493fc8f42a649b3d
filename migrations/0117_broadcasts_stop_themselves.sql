-- A broadcast whose mail bounces or is complained about too often is paused, until somebody resumes or cancels it.
alter table broadcasts
  add column paused_at timestamptz,
  add column pause jsonb,
  add column is_guarded boolean not null default true,
  add constraint broadcasts_pause_has_a_cause check ((paused_at is null) = (pause is null)),
  add constraint broadcasts_paused_are_queued check (paused_at is null or status = 'queued');

comment on column broadcasts.pause is 'What was measured when it was paused, and against what.';
comment on column broadcasts.is_guarded is 'False: somebody has resumed it, and it is not paused again.';

-- Asked for with every heartbeat.
create index broadcasts_paused on broadcasts (id) where paused_at is not null;

create table broadcast_guards (
  team_id uuid not null,
  enabled boolean not null,
  min_emails integer not null,
  max_bounce_rate double precision not null,
  max_complaint_rate double precision not null,
  updated_at timestamptz not null,
  constraint broadcast_guards_pkey primary key (team_id),
  constraint broadcast_guards_team_id_fkey foreign key (team_id) references teams (id) on delete cascade
);

comment on table broadcast_guards is 'When broadcasts of a team are paused. A team without a row has the defaults of the program.';
comment on column broadcast_guards.min_emails is 'Recipients that were tried before anything is judged.';
comment on column broadcast_guards.max_bounce_rate is 'In percent, like max_complaint_rate.';
