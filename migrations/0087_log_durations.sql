-- How long the request took to answer. Null in entries from before this was written down.
alter table request_logs add column duration_ms integer;
