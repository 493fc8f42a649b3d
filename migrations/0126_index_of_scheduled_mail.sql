-- no transaction
-- Operators look at scheduled mail beside a million rows that are parked. Mail that goes straight through is not in it.
create index concurrently if not exists waiting_deliveries_scheduled on waiting_deliveries (priority, due_at)
  where state = 'waiting' and holder is null and suspended_at is null and parked_for is null and claims = 0;
