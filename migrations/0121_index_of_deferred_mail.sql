-- no transaction
-- Operators look at deferred mail beside a million rows that are parked. Mail that leaves at its first attempt is not in it.
create index concurrently if not exists waiting_deliveries_deferred on waiting_deliveries (priority, due_at)
  where state = 'waiting' and holder is null and suspended_at is null and parked_for is null and claims > 0;
