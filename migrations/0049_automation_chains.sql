-- An automation can begin with what happens to mail, also to mail that an automation has sent. How many of them stand behind one another is
-- kept with the run and with its emails, so that a chain ends whatever node goes on with it. Constant defaults: no table is rewritten.
alter table automation_runs add column depth smallint not null default 1;
comment on column automation_runs.depth is
  'The place of the run in a chain of automations: 1, or one more than that of the run whose email it begins with.';

alter table automation_emails
  add column depth smallint not null default 1,
  add column is_test boolean not null default false;
comment on column automation_emails.depth is 'That of the run that has sent it.';
comment on column automation_emails.is_test is 'Sent by a test run: opens and clicks do not count.';
comment on table automation_emails is
  'The emails that steps of automations have sent, so that opens and clicks are counted once for each, and so that what happens to one does not start the automation that has sent it.';
