-- Tables of mail and events are about to be cut into partitions by time (0100). What they have now becomes the first partition as it is, without
-- being copied: everything made before a moment that is still to come, two days from now at least. The constraint says so of new rows
-- from here on; 0098 looks through the old ones while mail flows. In an empty database partitions begin with this week and this day.
do $$
declare
  by_week constant text[] := '{emails.id, email_bodies.email_id, email_attachments.email_id, submitted_messages.email_id, relayed_message_ids.email_id,
    emails_by_status.email_id, metric_facts.email_id, deliveries.email_id, received_emails.id, received_bodies.received_id, received_raws.received_id,
    received_attachments.received_id}';
  by_day constant text[] := '{outbox.id, webhook_deliveries.event_id, webhook_attempts.event_id, request_logs.id}';
  bounds uuid[] := '{}';
  part record;
  one text;
  newest uuid;
  latest timestamptz;
  has_rows boolean;
  is_used boolean;
begin
  -- What has to be read is read before any table is locked.
  for part in select * from (values ('week', by_week), ('day', by_day)) parts (unit, tables) loop
    latest := null;
    is_used := false;
    foreach one in array part.tables loop
      -- Parts of deleted emails may be left, such as what was counted of them.
      execute format('select exists (select 1 from %I)', split_part(one, '.', 1)) into has_rows;
      is_used := is_used or has_rows;
      continue when split_part(one, '.', 2) <> 'id';
      execute format('select max(newest.id::text)::uuid from teams t cross join lateral (
          select r.id from %I r where r.team_id = t.id order by r.id desc limit 1) newest where not is_sandbox(t.id)', split_part(one, '.', 1))
        into newest;
      -- A clock that was ahead has left ids of the future.
      latest := greatest(latest, to_timestamp(('x' || substr(replace(newest::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0));
    end loop;
    latest := case when is_used then greatest(latest, clock_timestamp() + interval '2 days') else clock_timestamp() - ('1 ' || part.unit)::interval end;
    bounds := bounds || rpad(lpad(to_hex((extract(epoch from date_trunc(part.unit, latest at time zone 'UTC') at time zone 'UTC'
      + ('1 ' || part.unit)::interval) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  end loop;
  for part in select * from (values (bounds[1], by_week), (bounds[2], by_day)) parts (bound, tables) loop
    foreach one in array part.tables loop
      execute format('alter table %I add constraint %I check (%I < %L) not valid',
        split_part(one, '.', 1), split_part(one, '.', 1) || '_before_bound', split_part(one, '.', 2), part.bound);
    end loop;
  end loop;
end $$;
