-- Mail that is refused because of where it comes from waits, and nobody bounces for it.
create table destination_pauses (
  destination text primary key,
  refusals smallint not null,
  paused_until timestamptz not null,
  host text,
  reply text not null,
  refused_at timestamptz not null
);
comment on table destination_pauses is
  'Where mail is not taken because of the address that we send from (blocklists, reputation). All nodes leave such a destination alone.';
comment on column destination_pauses.destination is
  'The names of the mail servers, as in deliveries.parked_for; or `@example.com`: the mail for this domain.';
comment on column destination_pauses.refusals is
  'In a row. Each pause is longer than the one before; mail that is taken ends the row.';
comment on column destination_pauses.reply is 'What the server said.';
