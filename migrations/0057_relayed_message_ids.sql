-- Message-IDs that a relay has put in the place of ours (Amazon SES does). Replies and complaints name these.
create table relayed_message_ids (
  team_id uuid not null,
  email_id uuid not null,
  message_id text not null,
  primary key (team_id, email_id, message_id),
  foreign key (team_id, email_id) references emails (team_id, id) on delete cascade
);
create index relayed_message_ids_by_id on relayed_message_ids (team_id, message_id);
