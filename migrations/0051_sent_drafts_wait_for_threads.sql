-- The event of a draft that was sent names its thread. One that begins a thread has none before it is filed, so its event waits until then.
alter table inbox_sendings add column sent_draft jsonb;
comment on column inbox_sendings.sent_draft is
  'The draft that it was, if its thread is not known yet: `inbox.draft.sent` tells of it when the email is filed.';
