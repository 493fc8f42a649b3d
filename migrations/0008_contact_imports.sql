create table contact_imports (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  status text not null default 'queued'
    constraint contact_imports_status_known check (status in ('queued', 'in_progress', 'completed', 'failed')),
  settings jsonb not null,
  -- The byte of the file up to which records are dealt with: where a worker goes on after a crash. Moves with the counts.
  read_to bigint not null default 0,
  total bigint not null default 0,
  created bigint not null default 0,
  updated bigint not null default 0,
  skipped bigint not null default 0,
  failed bigint not null default 0,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  primary key (team_id, id),
  constraint contact_imports_completed_iff_ended check ((completed_at is not null) = (status in ('completed', 'failed'))),
  constraint contact_imports_counts_add_up check (total = created + updated + skipped + failed)
);

-- The uploaded file in pieces, here and not on a disk, so that any process can carry on with it. Gone when the import ends.
-- Pieces arrive before their import exists; retention sweeps those whose upload never finished.
create table contact_import_pieces (
  team_id uuid not null references teams (id) on delete cascade,
  import_id uuid not null,
  position integer not null,
  content bytea not null,
  created_at timestamptz not null default now(),
  primary key (team_id, import_id, position)
);

-- Compressing each piece costs more time than writing it.
alter table contact_import_pieces alter column content set storage external;
