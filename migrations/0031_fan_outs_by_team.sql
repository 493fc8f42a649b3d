-- Teams take turns when their events are fanned out: each team's oldest events are found by its key.
alter table webhook_fan_outs drop constraint webhook_fan_outs_pkey, add primary key (team_id, event_id);
