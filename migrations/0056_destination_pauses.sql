-- Where mail is not taken because of the address that we send from (blocklists, reputation). All nodes leave such a destination alone.
create table destination_pauses (
  -- The names of the mail servers as in deliveries.parked_for, or `@example.com`: the mail for this domain.
  destination text primary key,
  -- How often it was refused in a row. Each pause is longer than the one before; mail that is taken ends the row.
  refusals smallint not null,
  paused_until timestamptz not null,
  host text,
  -- What the server said.
  reply text not null,
  refused_at timestamptz not null
);
