-- A claim goes from webhook to webhook by their ids, whatever their teams: without an index each step read the whole table.
create index webhooks_by_id on webhooks (id);
