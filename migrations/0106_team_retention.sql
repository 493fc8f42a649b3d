-- How long a team keeps what it has, where that is not what the installation says. Owners choose less, operators what they like.
create table team_retention (
  team_id uuid not null references teams (id) on delete cascade,
  kind text not null check (kind in ('emails', 'bodies', 'received', 'events', 'logs', 'runs', 'audit')),
  operator_seconds bigint check (operator_seconds >= 0),
  owner_seconds bigint check (owner_seconds >= 0),
  updated_at timestamptz not null,
  primary key (kind, team_id),
  constraint team_retention_says_something check (num_nonnulls(operator_seconds, owner_seconds) > 0)
);

comment on table team_retention is 'How long a team keeps something, where that differs from the settings of the installation: what its operator says in their place, and what its owners say, which counts where it is less.';
comment on column team_retention.operator_seconds is 'Null: as the settings say. 9223372036854775807: for ever.';
comment on column team_retention.owner_seconds is 'Null: they have said nothing.';

create index team_retention_by_team on team_retention (team_id);

-- By team, so that what one of them keeps for a shorter or longer time than the others is not looked for among all of theirs.
create index automation_runs_ended_of_team on automation_runs (team_id, completed_at) where completed_at is not null;
drop index automation_runs_ended;
