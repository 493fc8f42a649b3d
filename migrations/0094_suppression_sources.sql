-- Lists that come from other services say that an address bounced or complained, and name no email of ours that did.
alter table suppressions
  drop constraint suppressions_source_iff_caused,
  add constraint suppressions_manual_have_no_source check (source_id is null or origin <> 'manual');

comment on column suppressions.source_id is 'The email that caused it; null for a manual one, and for one that came from another service without it.';
