-- What shows that the team may receive for the domain: an MX record names this installation, and not a team of it. `dkim`: the team's own
-- key, for domains that send too; `txt`: a record for this alone; `mx`: nothing but the MX record, for domains that only received, and
-- were verified, before a proof was asked for.
alter table domains
  add column receiving_proof text not null default 'dkim' constraint domains_receiving_proof_known
    check (receiving_proof in ('dkim', 'txt', 'mx')),
  -- The sum of the checks, like its neighbours.
  add column is_receiving_proven boolean not null default false;

update domains set receiving_proof = case when receiving and status = 'verified' then 'mx' else 'txt' end where not sending;

update domains set is_receiving_proven = true
where receiving and not is_placeholder and (receiving_proof = 'mx' or exists (
  select from jsonb_each(checks) as found where key like 'DKIM %' and value ->> 'status' in ('verified', 'temporary_failure')));

-- Those that stop to receive have a status that says otherwise, until they are looked at.
update domains set next_check_at = now()
where receiving and not is_placeholder and not is_receiving_proven and status in ('verified', 'partially_verified', 'partially_failed');
