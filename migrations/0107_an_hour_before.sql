-- Where the events about an email begin, which has the id: an hour before it, since another machine's clock may be behind. Their partitions are looked
-- at, and not those before.
create function an_hour_before(id uuid) returns uuid language sql immutable strict parallel safe return
  (lpad(to_hex(greatest(0, ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint - 3600000)), 12, '0') || right(replace(id::text, '-', ''), 20))::uuid;
