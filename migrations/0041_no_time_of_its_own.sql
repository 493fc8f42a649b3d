-- What time it is comes with each statement, from the one clock of the program (src/platform/clock.ts): an insert that forgets it fails,
-- instead of getting the database's time in the middle of a team's own.
alter table api_keys alter column created_at drop default;
alter table broadcasts alter column created_at drop default;
alter table broadcasts alter column updated_at drop default;
alter table contact_import_pieces alter column created_at drop default;
alter table contact_imports alter column created_at drop default;
alter table contact_properties alter column created_at drop default;
alter table contact_segments alter column created_at drop default;
alter table contact_topics alter column updated_at drop default;
alter table contacts alter column created_at drop default;
alter table contacts alter column updated_at drop default;
alter table delivery_reports alter column created_at drop default;
alter table domain_keys alter column created_at drop default;
alter table domains alter column created_at drop default;
alter table domains alter column updated_at drop default;
alter table email_attachments alter column created_at drop default;
alter table jobs alter column created_at drop default;
alter table loose_blobs alter column noted_at drop default;
alter table nodes alter column started_at drop default;
alter table outbox alter column created_at drop default;
alter table received_attachments alter column created_at drop default;
alter table schema_migrations alter column applied_at drop default;
alter table segments alter column created_at drop default;
alter table sessions alter column created_at drop default;
alter table suppressions alter column created_at drop default;
alter table teams alter column created_at drop default;
alter table template_variables alter column created_at drop default;
alter table template_variables alter column updated_at drop default;
alter table template_versions alter column created_at drop default;
alter table templates alter column created_at drop default;
alter table templates alter column updated_at drop default;
alter table topics alter column created_at drop default;
alter table topics alter column updated_at drop default;
alter table webhooks alter column created_at drop default;
alter table webhooks alter column updated_at drop default;

-- The one exception: no statement names the blobs that go with a deleted row. They are kept for a while, in real time.
create or replace function note_unnamed_blob() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'received_emails' then
    insert into loose_blobs (key, noted_at) values (old.raw_blob, now()) on conflict (key) do nothing;
  else
    insert into loose_blobs (key, noted_at) values (old.blob, now()) on conflict (key) do nothing;
  end if;
  return null;
end $$;
