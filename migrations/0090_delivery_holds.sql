-- Mail that operators hold back: it is accepted, waits in the ledger, and is sent after the release.
create table delivery_holds (
  id uuid primary key,
  team_id uuid references teams (id) on delete cascade,
  recipient_domain text,
  sender_domain text,
  reason text not null,
  created_at timestamptz not null
);

comment on table delivery_holds is 'Mail that operators hold back. What fits all that a row names is held; a row that names nothing holds everything.';
comment on column delivery_holds.recipient_domain is 'In lower case and ASCII, like sender_domain.';

create unique index delivery_holds_scope on delivery_holds
  (coalesce(team_id, '00000000-0000-0000-0000-000000000000'), coalesce(recipient_domain, ''), coalesce(sender_domain, ''));
create index delivery_holds_team on delivery_holds (team_id) where team_id is not null;

alter table deliveries add column hold_id uuid;
comment on column deliveries.hold_id is 'Why it is set aside (suspended_at): for this row of delivery_holds, or, if null, since its team is suspended.';

-- Apart, so that neither is looked for among a million of the others. Each index reads the table once, and holds up its writes meanwhile.
drop index deliveries_suspended;
create index deliveries_suspended on deliveries (team_id) where suspended_at is not null and hold_id is null;
create index deliveries_on_hold on deliveries (hold_id) where suspended_at is not null and hold_id is not null;
create index deliveries_on_hold_of_team on deliveries (team_id) where suspended_at is not null and hold_id is not null;
