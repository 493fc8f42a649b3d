-- REST objects: 2023-04-08 00:11:13.110779+00 with the zeros at the end of the fraction left out, down to one digit. PostgreSQL's own
-- text is the same, but for whole seconds, which it writes without a fraction, and it depends on a setting of the session.
create or replace function wire_time(moment timestamptz) returns text
  language sql stable parallel safe
  return replace(rtrim(to_char(moment at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '0') || '+00', '.+', '.0+');
