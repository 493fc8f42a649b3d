-- Mail that waits for a person's yes: its email has the status `queued`, and its rows of the ledger are set aside under one hold_id for all such mail.
create table approvals (
  team_id uuid not null references teams (id) on delete cascade,
  email_id uuid not null,
  policy_id uuid not null,
  holder text not null constraint approvals_holder_known check (holder in ('api_key', 'oauth_grant', 'inbox_agent')),
  status text not null constraint approvals_status_known check (status in ('waiting', 'approved', 'refused', 'expired', 'canceled')),
  expires_at timestamptz not null,
  decided_at timestamptz,
  decided_by text,
  told_at timestamptz,
  primary key (team_id, email_id),
  constraint approvals_decided_once check ((decided_at is null) = (status = 'waiting'))
);
create index approvals_by_status on approvals (team_id, status, email_id);
create index approvals_expiring on approvals (team_id, expires_at) where status = 'waiting';
create index approvals_untold on approvals (team_id, email_id) where status = 'waiting' and told_at is null;
comment on table approvals is 'Mail of a policy with `hold`: whether somebody has to say yes to it, or who has decided. Deleted with its email.';
comment on column approvals.policy_id is 'That of the key, the grant or the inbox. Kept when the policy is gone.';
comment on column approvals.status is 'canceled: somebody took the mail out of the queue before anybody had decided.';
comment on column approvals.decided_by is 'The address of a person, or the name of a key or an app. Null: nobody, its time was over.';
comment on column approvals.told_at is 'When approvers were mailed about it.';

-- What the links in the mail to an approver are about.
create table approval_notices (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  approver text not null,
  secret_sha256 bytea not null,
  emails uuid[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (team_id, id)
);
create unique index approval_notices_by_secret on approval_notices (secret_sha256);
create index approval_notices_by_time on approval_notices (team_id, created_at);
comment on table approval_notices is 'Mail to approvers: who was asked, and about which emails. The links in it carry the id, signed, and the secret.';
comment on column approval_notices.expires_at is 'Of the links. They end early when others can read them.';

comment on column deliveries.hold_id is
  'Why it is set aside (suspended_at): for this row of delivery_holds, this broadcast, since it waits for approval (one id for all such mail), or, if null, since its team is suspended.';
