-- Reads each table once, beside everybody who reads and writes: attaching it as a partition looks at no row any more.
do $$
declare
  one record;
begin
  for one in select conrelid::regclass as name, conname from pg_constraint where conname like '%\_before\_bound' and not convalidated order by conname loop
    execute format('alter table %s validate constraint %I', one.name, one.conname);
  end loop;
end $$;
