-- Cells: installations beside each other, each with a database of its own. A team lives in one, and `postwren cell move` takes it to another.

create table team_moves (
  team uuid not null,
  direction text not null constraint team_moves_direction_known check (direction in ('out', 'in')),
  name text not null,
  cell text not null,
  url text not null,
  phase text not null constraint team_moves_phase_known check (phase in ('copying', 'held', 'moved')),
  -- Of the team before it was held.
  suspended_at timestamptz,
  suspended_reason text,
  copied jsonb not null default '{}',
  started_at timestamptz not null,
  moved_at timestamptz,
  cleaned_at timestamptz,
  primary key (team, direction),
  constraint team_moves_moved_since check ((moved_at is not null) = (phase = 'moved'))
);

comment on table team_moves is 'Teams that move to another cell or from one. Of a team that has moved away the row stays, and says where it lives.';
comment on column team_moves.direction is 'Whether the team leaves this cell or comes to it.';
comment on column team_moves.name is 'Of the team, when the move began.';
comment on column team_moves.cell is 'The name of the other cell.';
comment on column team_moves.url is 'The public URL of the other cell.';
comment on column team_moves.phase is 'copying: the team works in the old cell. held: nobody writes for it. moved: it lives in the new cell.';
comment on column team_moves.suspended_at is 'Of the team before it was held.';
comment on column team_moves.suspended_reason is 'The same.';
comment on column team_moves.copied is 'Of a team that comes: for each table, from which transaction of the old cell on its rows may be missing.';
comment on column team_moves.moved_at is 'When the team was switched over.';
comment on column team_moves.cleaned_at is 'Of a team that has left: since when nothing else of it is here.';

create table moved_keys (
  token_sha256 bytea primary key,
  token_prefix text not null,
  team uuid not null
);
create index moved_keys_by_prefix on moved_keys (token_prefix);
create index moved_keys_by_team on moved_keys (team);
comment on table moved_keys is 'API keys of teams that have moved away: whoever comes with one is told where the team lives.';

create table moved_domains (
  name text primary key,
  team uuid not null
);
create index moved_domains_by_team on moved_domains (team);
comment on table moved_domains is 'Domains of teams that have moved away: mail for them is deferred, with the name of the cell that takes it.';

-- Rows that nobody may work on before the team lives here: jobs, and events that subscribers have still to process.
create table arriving_rows (
  team uuid not null,
  kind text not null,
  number integer not null,
  line json not null,
  primary key (team, kind, number)
);
comment on table arriving_rows is 'Jobs and pending events of a team that is about to move here: they become rows of their tables when it lives here.';
comment on column arriving_rows.line is 'A row as in an export.';

-- What the cells that teams came from sign with: links and return paths in mail that has left lead here.
create table cell_keys (
  cell text not null,
  purpose text not null,
  mark bytea not null,
  sealed_key bytea not null,
  primary key (cell, purpose, mark)
);
comment on table cell_keys is 'Keys that other cells sign with, derived from their secret keys for one purpose each and sealed: links and return paths of teams that came from there.';
comment on column cell_keys.mark is 'The SHA-256 of the key.';
