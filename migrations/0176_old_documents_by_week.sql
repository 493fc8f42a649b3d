-- What was there before the periods is one partition of emails and of received emails, and was one of their documents (0175). A search asks a partition as a
-- whole, so its documents get weeks, as far back as there are teams. Where some are written already it stays as it is: it is asked as a whole, and goes with its mail.
do $$
declare
  of_table text;
  bound text;
  id_at constant text := $f$ overlay(lpad(to_hex((extract(epoch from %L::timestamptz) * 1000)::bigint), 12, '0') placing '-' from 9 for 0) || '-0000-0000-000000000000' $f$;
  week timestamptz;
  start_id text;
  end_id text;
  is_written boolean;
begin
  foreach of_table in array array['email_documents', 'received_documents'] loop
    -- Imported mail may be older than all teams: it stays in the first piece.
    week := (select date_trunc('week', greatest(min(created_at), now() - interval '10 years'), 'UTC') from teams having count(*) > 0);
    bound := (
      select substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([^'']*)''\)') from pg_inherits h join pg_class c on c.oid = h.inhrelid
      where h.inhparent = of_table::regclass and c.relname = of_table || '_before');
    execute 'select' || format(id_at, week) into start_id;
    continue when start_id is null or bound is null or start_id >= bound;
    execute format('lock table %I in access exclusive mode', of_table);
    execute format('select exists (select from %I)', of_table || '_before') into is_written;
    continue when is_written;
    execute format('drop table %I', of_table || '_before');
    execute format('create table %I (like %I including all) with (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.1)',
      of_table || '_before', of_table);
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', of_table, of_table || '_before', start_id);
    while start_id < bound loop
      execute 'select' || format(id_at, week + interval '7 days') into end_id;
      execute format('create table %I (like %I including all) with (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.1)',
        of_table || to_char(week at time zone 'UTC', '"_p"YYYYMMDD'), of_table);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
        of_table, of_table || to_char(week at time zone 'UTC', '"_p"YYYYMMDD'), start_id, least(end_id, bound));
      start_id := end_id;
      week := week + interval '7 days';
    end loop;
  end loop;
end $$;
