-- In a transaction of its own: mail is accepted and sent while all rows are read.
alter table emails validate constraint emails_last_event_known;
