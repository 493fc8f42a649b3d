-- How fast providers and sites may be written to, and what they refuse, by whom the reply speaks of. Beside destination_pauses, which older programs
-- read and write until they are gone.
create table delivery_pauses (
  destination text not null,
  kind text not null constraint delivery_pauses_kind_known
    check (kind in ('source', 'netblock', 'spf_domain', 'dkim_domain', 'url_domain', 'tenant', 'site')),
  identity text not null,
  refusals smallint not null,
  paused_until timestamptz not null,
  host text,
  reply text not null,
  class text,
  refused_at timestamptz not null,
  lifted_at timestamptz,
  lifted_reason text,
  primary key (destination, kind, identity)
);
comment on table delivery_pauses is
  'Mail that waits because a provider or site refuses it for what it carries: only mail with this identity, to this destination. All nodes keep to it.';
comment on column delivery_pauses.destination is
  'A provider (gmail); the names of a site''s mail servers, as in deliveries.parked_for; or `@example.com`: the mail for this domain.';
comment on column delivery_pauses.kind is 'What the identity is: whom the reply speaks of.';
comment on column delivery_pauses.identity is 'An address, a netblock, a domain or a team; empty for a site, of which everything waits.';
comment on column delivery_pauses.refusals is 'In a row. Each pause is longer than the one before; mail that is taken ends the row.';
comment on column delivery_pauses.reply is 'What the server said.';
comment on column delivery_pauses.lifted_reason is 'Why an operator has ended it before its time.';
create index delivery_pauses_by_end on delivery_pauses (paused_until);

create table pace_controllers (
  destination text not null,
  kind text not null constraint pace_controllers_kind_known
    check (kind in ('source', 'netblock', 'spf_domain', 'dkim_domain', 'tenant', 'site')),
  identity text not null,
  rate float8 not null,
  limit_rate float8 not null,
  confirmations smallint not null,
  connections int,
  complaints smallint not null,
  cut_at timestamptz not null,
  rest_until timestamptz not null,
  round_at timestamptz not null,
  taken int not null,
  deferred int not null,
  reply text not null,
  class text,
  noted_rate float8 not null,
  changed_at timestamptz not null,
  primary key (destination, kind, identity)
);
comment on table pace_controllers is
  'How fast a destination that has asked for less gets mail of an identity. Whoever is not here gets it as fast as the ceilings allow.';
comment on column pace_controllers.rate is 'Messages in a second, of all nodes together.';
comment on column pace_controllers.limit_rate is 'The rate at which the last throttle reply came.';
comment on column pace_controllers.connections is 'Of all nodes together; null: as many as the ceiling says.';
comment on column pace_controllers.rest_until is 'Nothing is sent before; replies to what began before it count no more.';
comment on column pace_controllers.taken is 'In the round since round_at.';
comment on column pace_controllers.reply is 'The last one that asked for less.';
comment on column pace_controllers.noted_rate is 'As pace_changes has it.';
create index pace_controllers_by_change on pace_controllers (changed_at);

create table pace_changes (
  id uuid primary key,
  at timestamptz not null,
  destination text not null,
  kind text not null,
  identity text not null,
  cause text not null constraint pace_changes_cause_known check (cause in ('throttled', 'grown', 'forgotten')),
  from_rate float8,
  to_rate float8,
  reply text,
  class text
);
comment on table pace_changes is 'What became of the rates in pace_controllers, and the replies that caused it. Kept for a week.';
comment on column pace_changes.from_rate is 'Null: as fast as the ceilings allow, like to_rate.';
create index pace_changes_of_controller on pace_changes (destination, kind, identity, at);
create index pace_changes_by_age on pace_changes (at);
