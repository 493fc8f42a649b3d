-- Destinations that take nothing at the moment. Their mail is parked (deliveries.parked_for) and due when it would be given up: no claim meets it.
create table destination_stops (
  destination text primary key,
  cause text not null constraint destination_stops_cause_known check (cause in ('unreachable', 'paused')),
  stopped_at timestamptz not null,
  stopped_until timestamptz not null,
  probed_until timestamptz,
  failures smallint not null,
  host text,
  reply text,
  domain text
);
comment on table destination_stops is
  'Destinations that all mail waits for: they cannot be reached, or refuse our address. All nodes keep to it; what waits is fetched by the name in deliveries.parked_for when the row is gone.';
comment on column destination_stops.destination is 'As in deliveries.parked_for: a provider, the names of a site''s mail servers, or `@example.com`.';
comment on column destination_stops.stopped_until is 'From then on one node tries with a message.';
comment on column destination_stops.probed_until is 'A node tries with a message; when it has not said by then how that went, another one does.';
comment on column destination_stops.failures is 'In a row. Each stop is longer than the one before.';
comment on column destination_stops.reply is 'What the server said, or why nobody could be asked.';
comment on column destination_stops.domain is 'One of the domains that have their mail there: mail for it is parked without a look-up.';
