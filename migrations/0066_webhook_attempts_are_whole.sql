-- In a transaction of its own: webhooks are delivered while all rows are read.
alter table webhook_deliveries validate constraint webhook_deliveries_attempt_is_whole;
