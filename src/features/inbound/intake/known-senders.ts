import type { Queryable } from '../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../kernel/db/sql.ts'
import { nextTeam, ownersIn, retention } from '../../../kernel/jobs/retention.ts'
import { canonicalAddress, domainOf, parseMailbox, toAsciiDomain } from '../../../mail/address.ts'
import type { Authentication } from './authentication.ts'

/** Who has written to a team. */
export interface KnownSender {
  readonly address: string
  readonly isProven: boolean
}

/** Whom mail may be answered to, and whether it was them. Without a record of DMARC only the very domain proves it, and none above it. */
export function knownSender({ spf, dkim, dmarc }: Authentication, from: string): KnownSender | null {
  const address = parseMailbox(from)?.address
  if (address === undefined) return null
  const domain = toAsciiDomain(domainOf(address))
  const isSigned = [spf, ...dkim].some((one) => one.result === 'pass' && one.domain?.toLowerCase() === domain)
  const isProven = dmarc.result === 'pass' || (dmarc.result === 'none' && isSigned)
  return { address: canonicalAddress(address), isProven }
}

/** The part of a statement that notes the sender of a message, which `of` gives. Once a day for each: nearly all mail is from somebody who is known. */
export const insertKnownSender = (
  { clock }: Queryable,
  team: string,
  { address, isProven, of }: KnownSender & { readonly of: Sql },
): Sql => sql.write`
  insert into known_senders as s (team_id, address, is_proven, seen_on)
  select team_id, ${address}, ${isProven}::boolean, ${clock.of(team).now()}::date from ${of}
  on conflict (team_id, address) do update
    set is_proven = s.is_proven or excluded.is_proven, seen_on = greatest(s.seen_on, excluded.seen_on)
  where s.seen_on < excluded.seen_on or (excluded.is_proven and not s.is_proven)`

/** Whoever has not written for as long as received mail is kept. */
export const sweepKnownSenders = retention({
  name: 'received-emails.senders.sweep',
  kind: 'received',
  async deleteBefore(db, expired) {
    const { limit, moment } = expired
    const byAge = { column: sql`seen_on`, conditions: [sql`r.seen_on < ${moment}::date`] }
    const rows = await db.query<{ team: string }>(sql.write`
      delete from known_senders s using (
        select old.team_id, old.address from ${ownersIn(sql`known_senders`, expired, { byAge })} owner
        cross join lateral (
          select r.team_id, r.address from known_senders r
          where r.team_id = owner.team_id and r.seen_on < owner.moment::date limit ${limit}) old
        limit ${limit}) gone
      where s.team_id = gone.team_id and s.address = gone.address returning s.team_id as team`)
    return nextTeam(rows, limit)
  },
})
