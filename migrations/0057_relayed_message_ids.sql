-- A relay may call an email something else than we do.
create table relayed_message_ids (
  team_id uuid not null,
  email_id uuid not null,
  message_id text not null,
  primary key (team_id, email_id, message_id),
  foreign key (team_id, email_id) references emails (team_id, id) on delete cascade
);
comment on table relayed_message_ids is
  'Message-IDs that a relay has put in the place of ours (Amazon SES does). Replies and complaints name these.';
create index relayed_message_ids_by_id on relayed_message_ids (team_id, message_id);
