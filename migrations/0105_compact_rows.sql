-- Rows that take less room, and that older programs cannot read: packed bodies of emails, and events that do not repeat what their email says.
-- PostgreSQL compresses values of rows above 2 kB only, and most mail is smaller: so its bodies are deflated by us, both together.
alter table email_bodies add column content bytea;
alter table email_bodies alter column content set storage external;
comment on column email_bodies.content is
  'Html and text of most emails, deflated; then the other two are null. In front a version, and the length of each in bytes (packed_bytes).';

create function packed_bytes(content bytea, place integer) returns integer language sql immutable parallel safe as $$
  select nullif(
    (get_byte(substring(content for 7), place) << 16) | (get_byte(substring(content for 7), place + 1) << 8)
      | get_byte(substring(content for 7), place + 2), 16777215)
$$;
comment on function packed_bytes is 'How many bytes the html (place 1) or the text (place 4) of packed bodies has; null: there is none.';

comment on column outbox.data is 'What happened. An event about an email that has no email_id here leaves out what the row of the email says.';

alter table nodes add column reads text[];
comment on column nodes.reads is 'Ways of storing that the process can read and that came later. Null: a program from before it said so.';

-- Programs from before this migration work with it until rows are compact. From then on it counts as a contraction: they would send mail without its bodies.
create function store_compactly(now timestamptz) returns boolean language plpgsql set lock_timeout = '200ms' as $$
declare
  applied record;
begin
  select m.is_contraction, m.applied_at < now - interval '2 days'
      or not exists (select from teams t where t.created_at < m.applied_at) as is_due
    into applied from schema_migrations m where m.name = '0105_compact_rows.sql';
  if applied.is_contraction then
    return true;
  elsif applied.is_due is not true or exists (select from nodes where not coalesce('compact_rows' = any (reads), false)) then
    return false;
  end if;
  -- Nobody enters until this has committed, so nobody who cannot read them is there when it has.
  lock table nodes in share row exclusive mode;
  if exists (select from nodes where not coalesce('compact_rows' = any (reads), false)) then
    return false;
  end if;
  update schema_migrations set is_contraction = true where name = '0105_compact_rows.sql';
  return true;
end
$$;
comment on function store_compactly is
  'Whether rows are compact. They begin to be two days after the upgrade, in a new database at once, when every process can read them.';

create function note_compact_rows() returns void language sql as $$
  update schema_migrations set is_contraction = true
  where name = '0105_compact_rows.sql' and exists (select from email_bodies where content is not null)
$$;
comment on function note_compact_rows is 'For a restore, whose rows were written elsewhere: if some are compact, older programs must not start.';

create function refuse_older_nodes() returns trigger language plpgsql as $$
begin
  if exists (select from schema_migrations where name = '0105_compact_rows.sql' and is_contraction) then
    raise exception 'This database has emails whose bodies this version of Postwren cannot read: start a newer one.';
  end if;
  return new;
end
$$;
create trigger nodes_refuse_older before insert on nodes for each row
  when ('compact_rows' = any (new.reads) is not true) execute function refuse_older_nodes();
