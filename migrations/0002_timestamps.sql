-- The two ways a moment is written on the wire. Plain SQL functions are inlined, so they cost what to_char costs.

-- REST objects: 2023-04-08 00:11:13.110779+00, the fraction always there.
create function wire_time(moment timestamptz) returns text
  language sql stable parallel safe
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+00"');

-- Events, and the few REST fields that are ISO: 2023-04-08T00:11:13.110Z.
create function iso_time(moment timestamptz) returns text
  language sql stable parallel safe
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
