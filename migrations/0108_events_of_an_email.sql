-- no transaction
-- The events about an email, by its id alone, which no other team has: both of its usual events are one entry, a third of the bytes.
create index concurrently if not exists outbox_by_email on outbox (about) where about is not null;
