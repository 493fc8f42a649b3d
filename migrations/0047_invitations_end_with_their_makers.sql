-- An invitation ends with what its maker may do. Those whose maker has gone, or is less by now, are over.
delete from invitations i where not exists (
  select from memberships m
  where m.team_id = i.team_id and m.user_id = i.invited_by
    and (m.role = 'owner' or (m.role = 'admin' and i.role <> 'owner')));

-- Who is deleted takes theirs along.
alter table invitations drop constraint invitations_invited_by_fkey;
alter table invitations add constraint invitations_invited_by_fkey
  foreign key (invited_by) references users (id) on delete cascade;
create index invitations_by_maker on invitations (invited_by);
