-- With pid and machine: the name of a process. Null: the system does not tell, or the node is of an older version.
alter table nodes add column process_start text;

comment on column nodes.beat is
  'Raised every second. Who sees it stand still for 6 s deletes the row, or for 60 s if the process is seen to run on the same machine.';
comment on column nodes.process_start is
  'When the process began, as its system counts: with pid and machine no other process has it.';
