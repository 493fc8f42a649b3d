-- What recipients see of a team on the pages that mail leads to.
alter table teams
  add column accent_color text,
  add column logo_image_id uuid,
  add constraint teams_accent_color_is_hex check (accent_color ~ '^#[0-9a-fA-F]{6}$');

comment on column teams.accent_color is 'Of buttons on pages for recipients. It stands in their style sheet, so it is nothing but six digits.';
comment on column teams.logo_image_id is 'An image of the team (editor_images). A trigger unsets it: PostgreSQL 14 has no `on delete set null (column)`.';

create function unset_logo_of_team() returns trigger language plpgsql as $$
begin
  update teams set logo_image_id = null where id = old.team_id and logo_image_id = old.id;
  return null;
end $$;

create trigger editor_images_unset_logo after delete on editor_images
  for each row execute function unset_logo_of_team();

-- Mail of the installation itself that is among the mail of a team, on a laptop: no email that the team has sent.
alter table emails add column is_system boolean;
comment on column emails.is_system is 'True: the installation itself has sent it. Not in the list of sent emails.';

create or replace function list_email_status() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from emails_by_status where team_id = old.team_id and status = old.last_event and email_id = old.id;
  end if;
  if is_status_listed(new.last_event) and new.is_system is not true then
    insert into emails_by_status (team_id, status, email_id, tags, recipients)
    values (new.team_id, new.last_event, new.id, new.tags, case when tg_op = 'UPDATE' then (
      select case when count(*) <= 10 then array_agg(lower(d.recipient)) end from deliveries d
      where d.team_id = new.team_id and d.email_id = new.id) end);
  end if;
  return null;
end $$;
