-- Processes of an older version know nothing of this table: they would take over rows whose holders live, and be taken over themselves.
do $$
begin
  if exists (
    select from pg_locks where locktype = 'advisory' and classid = 1886876261 and granted
      and database = (select oid from pg_database where datname = current_database())) then
    raise exception 'processes of an older version are running on this database; stop them, then start again';
  end if;
end $$;

-- The processes that are at work. Each proves again and again that it lives by raising its beat; what it holds in other tables, it
-- holds as long as its row is here. Whoever sees a beat stand still for long enough deletes the row, and then nothing is held.
create table nodes (
  id integer primary key,
  beat bigint not null default 0,
  -- The machine, and the process on it: on the same machine one can simply look whether it is gone.
  machine text,
  pid integer not null,
  -- Where its wake-ups go, which work it takes up, and what it wants to hear of besides.
  channel text not null,
  works text[] not null default '{}',
  watches text[] not null default '{}',
  started_at timestamptz not null default now()
) with (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
