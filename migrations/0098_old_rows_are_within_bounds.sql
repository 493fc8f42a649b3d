-- Reads each table once, beside everybody who reads and writes: attaching it as a partition looks at no row any more.
--
-- Ids are in the order of time. Those of sandboxes were in their own time, which may be years ahead: such rows go, as the sandbox would. Teams are
-- found by the rows, since a sandbox that has ended leaves some.
lock table emails, email_bodies, email_attachments, submitted_messages, relayed_message_ids, emails_by_status, metric_facts, deliveries,
  received_emails, received_bodies, received_raws, received_attachments, outbox, webhook_deliveries, webhook_attempts, request_logs
  in share update exclusive mode;
-- From here on it waits for rows of sandboxes alone, and nobody waits behind it: giving way soon would mean to read everything once more.
set local lock_timeout = '10s';

do $$
declare
  one record;
begin
  for one in
    select k.conrelid::regclass as name, k.conname, a.attname as key, substring(pg_get_constraintdef(k.oid) from '[0-9a-f]{8}-[0-9a-f-]{27}') as bound
    from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.conname like '%\_before\_bound' and not k.convalidated order by k.conname
  loop
    execute format('
      with recursive owners (id) as (
        (select r.team_id from %1$s r order by r.team_id limit 1)
        union all
        select (select r.team_id from %1$s r where r.team_id > owners.id order by r.team_id limit 1) from owners where owners.id is not null)
      delete from %1$s r using owners where is_sandbox(owners.id) and r.team_id = owners.id and r.%2$I >= %3$L', one.name, one.key, one.bound);
    execute format('alter table %s validate constraint %I', one.name, one.conname);
  end loop;
end $$;
