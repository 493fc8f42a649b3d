-- How attempts went that were not taken: the last three of a recipient, with what was said. Null for mail that was taken at first, which is most.
alter table deliveries add column conversations jsonb;
comment on column deliveries.conversations is 'The last attempts that were not taken, each with route, servers, TLS, times and dialogue. Null: there was none, or the first was taken.';

create table attempt_watches (
  channel text primary key,
  filter jsonb not null,
  renewals integer not null default 0,
  created_at timestamptz not null
);
comment on table attempt_watches is 'Who follows attempts as they happen (postwren trace). Delivery tells each by NOTIFY on its channel, and keeps nothing of that.';
comment on column attempt_watches.renewals is 'Counted up while somebody watches: a watch that stands still for 45 s is over.';
