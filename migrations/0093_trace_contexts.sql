-- Where a trace goes on that began with a request or an SMTP session: 16 bytes of its id, 8 of the span that caused the row. Null unless
-- tracing is on and the trace is sampled; a null takes no room in a row.
alter table emails add column trace_context bytea;
alter table outbox add column trace_context bytea;
alter table jobs add column trace_context bytea;
