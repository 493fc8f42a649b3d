-- What was not delivered, by webhook: lists of failing events and replays of all of them find it without reading a million that went well.
-- A delivery that goes well at first is written as such and never in this index. Reads the table once, and holds up its writes meanwhile.
create index webhook_deliveries_undelivered on webhook_deliveries (team_id, webhook_id, event_id) where state <> 'success';
