-- Attachments may be kept for less time than their emails, like everything else that is kept for a time. Programs of before do not ask for this kind.
alter table team_retention drop constraint team_retention_kind_check;
alter table team_retention add constraint team_retention_kind_check
  check (kind in ('emails', 'bodies', 'received', 'attachments', 'events', 'logs', 'runs', 'trash', 'audit')) not valid;
