-- no transaction
-- Whoever has not written for long is found over all teams, without reading the senders of each.
create index concurrently if not exists known_senders_by_day on known_senders (seen_on);
