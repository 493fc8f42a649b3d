-- How the ways out are, for all nodes: a way that takes no mail is left alone by all of them, and found well again by whichever asks first.
create table delivery_routes (
  name text primary key,
  state text not null constraint delivery_routes_state_known check (state in ('closed', 'open')),
  since timestamptz not null,
  faults smallint not null,
  changed_at timestamptz not null,
  retry_at timestamptz,
  fault text constraint delivery_routes_fault_known check (fault in ('connection', 'login', 'tls', 'refused', 'answer')),
  reply text,
  host text,
  faulted_at timestamptz,
  held_at timestamptz,
  held_reason text
);
comment on table delivery_routes is
  'The circuit breakers of the ways out, and which of them operators have taken out of use. One that never had a fault is not here.';
comment on column delivery_routes.state is 'closed: mail goes. open: it takes other ways or waits, and one is tried when retry_at has come.';
comment on column delivery_routes.since is 'Since when it is in use, or out of use.';
comment on column delivery_routes.changed_at is 'What mail found out that was begun before says nothing new.';
comment on column delivery_routes.fault is 'The last one: no connection, a login that is refused, TLS, no mail of ours is taken at all, or an answer to a message that never came.';
comment on column delivery_routes.reply is 'What was said, or what happened, at the last fault.';
comment on column delivery_routes.held_at is 'An operator has taken it out of use.';
