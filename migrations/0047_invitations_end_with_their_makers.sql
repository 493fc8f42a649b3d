-- Links that were mailed before mail of the installation was withheld from teams may lie where others read them. Invitations have run out,
-- and can be sent again; whoever waits for a sign-in link asks for another.
update invitations set expires_at = now() where expires_at > now();
delete from sign_in_links where method = 'link';

-- An invitation ends with what its maker may do. Those whose maker has gone, or is less by now, are over.
delete from invitations i where not exists (
  select from memberships m
  where m.team_id = i.team_id and m.user_id = i.invited_by
    and (m.role = 'owner' or (m.role = 'admin' and i.role <> 'owner')));

-- Who is deleted takes theirs along.
alter table invitations drop constraint invitations_invited_by_fkey;
alter table invitations add constraint invitations_invited_by_fkey
  foreign key (invited_by) references users (id) on delete cascade;
-- Whoever is invited sees it when they have signed in.
create index invitations_by_address on invitations (lower(email));
create index invitations_by_maker on invitations (invited_by);
