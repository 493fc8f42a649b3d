-- A job that was only in hand when its process ended is run alone, and only what ends a process while it is alone is evidence against it.
alter table jobs add column is_alone boolean not null default false;

comment on column jobs.is_alone is
  'It runs, and nothing else of its kind runs in its process: a crash now is most likely its own.';
comment on column jobs.crashes is
  'Counted for jobs that read what strangers wrote: 1 when a process ended that had it in hand, and one more each time that one ended while the job ran alone.';
