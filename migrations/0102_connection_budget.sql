alter table nodes add column connections integer;
comment on column nodes.connections is 'How many connections to the database the process opens at most. Null: a program from before it said so.';
