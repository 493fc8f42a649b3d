-- Mail for a destination that has enough of it in hand. It is due later, out of the way of everybody else, and whoever has room for
-- this destination takes it earlier. Null: it is due when it is due.
alter table deliveries add column parked_for text;

create index deliveries_parked on deliveries (parked_for, priority, due_at)
  where state = 'waiting' and holder is null and parked_for is not null;
