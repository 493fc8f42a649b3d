-- A row for each rule and minute kept the last email of it. Now it keeps some of those that differ.
alter table policy_refusals add column samples jsonb not null default '[]';
comment on column policy_refusals.samples is 'The first of those that differ: sender, recipients, subject.';
