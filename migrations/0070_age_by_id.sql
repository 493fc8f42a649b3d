-- Ids are in the order of time, so the primary keys find what is old, team by team. For each event and each request an entry in these two was written
-- that only the sweeps of every quarter of an hour have read: 64 bytes of WAL each, 192 for an email.
drop index outbox_by_age;
drop index request_logs_by_age;
