-- Return paths name one recipient of their email.
alter table delivery_reports add column position smallint;

comment on column delivery_reports.position is 'Of the recipient in the ledger. Null: the return path is of a mail that went out before return paths named one.';
