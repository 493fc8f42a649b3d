-- How much each provider gets in a day from a source or a sending domain that it does not know yet.
create table warm_ups (
  kind text not null constraint warm_ups_kind_known check (kind in ('source', 'domain')),
  identity text not null,
  provider text not null,
  step smallint not null,
  day date not null,
  leased int not null,
  taken int not null,
  deferred int not null,
  is_blocked boolean not null,
  last_sent_on date,
  is_finished boolean not null,
  primary key (kind, identity, provider)
) with (fillfactor = 80);
comment on table warm_ups is
  'How much a provider gets in a day from a source or a sending domain that it does not know yet: 50 messages, and 1.4 times as many after each sending day.';
comment on column warm_ups.identity is 'The name of a source, or a sending domain.';
comment on column warm_ups.step is 'Sending days that went well: the allowance is 50 * 1.4 ^ step.';
comment on column warm_ups.day is 'In UTC: the counts are of this day.';
comment on column warm_ups.leased is 'Messages that nodes may send or have sent on that day, of all nodes together.';
comment on column warm_ups.is_blocked is 'It was blocked on that day, and is two steps back for it.';
comment on column warm_ups.is_finished is 'The provider knows it: nothing is counted out any more.';
create index warm_ups_by_day on warm_ups (day);
