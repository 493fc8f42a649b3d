-- What was decided long ago, and links of no use any more, are found by their age over all teams: a look for them went from team to team.
create index approvals_by_age on approvals (email_id) where status <> 'waiting';
create index approval_notices_by_age on approval_notices (id);
