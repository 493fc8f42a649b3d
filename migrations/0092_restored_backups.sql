-- The backup that this database was restored from. While it is here every start is on hold, whatever the settings say: the backup knows what
-- was waiting when it was made, and not what has left since. `postwren restore --finish` takes it away.
create table restored_backups (
  is_only boolean primary key default true,
  name text not null,
  made_at timestamptz not null,
  restored_at timestamptz not null,
  constraint restored_backups_is_one check (is_only)
);

comment on table restored_backups is 'One row after a restore, until `postwren restore --finish`: the backup that this database came from. While it is here nothing is sent.';
