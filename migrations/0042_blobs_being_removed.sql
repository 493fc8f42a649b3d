-- One word for one thing: a blob is named by a row, or it is loose; a loose one is being removed once the sweep has marked it.
alter table loose_blobs rename column is_doomed to is_being_removed;

create or replace function take_blob(wanted text) returns text language plpgsql as $$
begin
  delete from loose_blobs where key = wanted and not is_being_removed;
  if not found then raise exception 'The blob % is not waiting for a name', wanted; end if;
  return wanted;
end $$;
