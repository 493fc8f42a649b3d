-- The events about one email, in the partitions between two ids. With a plan that is kept: made anew for each email it takes most of the time, since there is a
-- partition for each day since then. PostgreSQL would not keep it by itself, as one for a few days looks cheaper.
create function events_about(of_team uuid, of_email uuid, since uuid, until uuid) returns setof outbox
  language plpgsql stable strict parallel safe set plan_cache_mode = force_generic_plan
as $$
begin
  return query select * from outbox o where o.team_id = of_team and o.about = of_email and o.id >= since and o.id < until;
end
$$;
