-- Mail that waits for a yes is counted when it is submitted, and leaves at another time: what is to be taken back has to be known.
alter table policy_emails add column counted_at timestamptz;
comment on column policy_emails.counted_at is 'The minute in which it counts against the limits. Null: in none.';
