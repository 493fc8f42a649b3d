-- How an email ended is searched together with words: where many emails have either and few have both, each of them was compared. Those that failed or led to a
-- complaint are few, so their documents say so, and are written again when that changes. Documents that are there already are noted here, and written by the job.
create function is_status_indexed(status text) returns boolean language sql immutable parallel safe
return status = any (array['bounced', 'canceled', 'complained', 'failed', 'suppressed']);

create or replace function list_email_status() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from emails_by_status where team_id = old.team_id and status = old.last_event and email_id = old.id;
    if (is_status_indexed(old.last_event) or is_status_indexed(new.last_event)) and new.is_system is not true then
      insert into search_changes (team_id, kind, id) values (new.team_id, 'email', new.id);
    end if;
  end if;
  if is_status_listed(new.last_event) and new.is_system is not true then
    insert into emails_by_status (team_id, status, email_id, tags, recipients)
    values (new.team_id, new.last_event, new.id, new.tags, case when tg_op = 'UPDATE' then (
      select case when count(*) <= 10 then array_agg(lower(d.recipient)) end from deliveries d
      where d.team_id = new.team_id and d.email_id = new.id) end);
  end if;
  return null;
end $$;

insert into search_changes (team_id, kind, id)
select s.team_id, 'email', s.email_id from emails_by_status s join email_documents d on d.team_id = s.team_id and d.id = s.email_id
where is_status_indexed(s.status);
