-- Where mail that waits goes, so that a process can leave out a destination that takes nothing, and which way an operator has sent it.
alter table deliveries add column destination text, add column route text;
comment on column deliveries.destination is 'The provider or site that it goes to, as found when it was tried last. Null: nobody has looked yet.';
comment on column deliveries.route is 'The route that an operator has moved it to. Null: the rules decide.';
