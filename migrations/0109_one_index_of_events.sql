-- `outbox_by_email` has taken over.
drop index outbox_about;
