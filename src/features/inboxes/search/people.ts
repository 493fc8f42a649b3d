import type { Queryable } from '../../../kernel/db/database.ts'
import { raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import { foldPart } from '../filing/people.ts'
import { personMark, quoted, ROLES, type Role } from '../filing/search-marks.ts'

/** Messages with somebody in a role: by what the index knows, or by what the message says of its people. */
export type PersonFilter =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'marks'; readonly condition: string }
  | { readonly kind: 'pattern'; readonly pattern: string }

/** So many marks are asked for. A part that more people have is soon met, and what is met is looked at. */
export const MOST_PEOPLE = 500

/** Of `inbox_messages` under a name. */
export const hasPerson = (name: Sql, pattern: string): Sql => sql`and ${name}.people ~ ${pattern}`

/** Who has one of these parts in their address or name. */
export async function readPeople(
  db: Queryable,
  { team, inbox }: { team: string; inbox: string },
  role: Role,
  parts: readonly string[],
): Promise<PersonFilter> {
  const folded = [...new Set(parts.map(foldPart))].filter((part) => part !== '')
  const addresses = new Set<string>()
  for (const part of folded) {
    const some = await findPeople(db, { team, inbox }, part)
    for (const address of some) addresses.add(address)
    if (addresses.size > MOST_PEOPLE) return { kind: 'pattern', pattern: patternOf(role, folded) }
  }
  if (addresses.size === 0) return { kind: 'nobody' }
  const marks = [...addresses].map((address) => quoted(personMark(inbox, role, address)))
  return { kind: 'marks', condition: `(${marks.join(' | ')})` }
}

/** The line of somebody in this role. */
const patternOf = (role: Role, parts: readonly string[]) =>
  `(?n)^${ROLES[role]}.*(?:${parts.map((part) => part.replace(/[^\p{L}\p{N}\s]/gu, '\\$&')).join('|')})`

const SOME = 1_000

/**
 * One more than there may be. A part that many have is met among the first; what is rare is found by its pieces of three letters, which
 * are in an index.
 */
async function findPeople(db: Queryable, { team, inbox }: { team: string; inbox: string }, part: string) {
  const pattern = `%${part.replace(/[\\%_]/g, '\\$&')}%`
  const own = sql`p.team_id = ${team} and p.inbox_id = ${inbox}`
  const few = raw(String(MOST_PEOPLE + 1))
  const [first] = await db.query<{ seen: number; addresses: string[] | null }>(sql`
    select count(*)::int as seen, array_agg(address) filter (where folded like ${pattern}) as addresses
    from (select p.address, p.folded from inbox_people p where ${own} order by p.address limit ${SOME}) first`)
  const addresses = first!.addresses ?? []
  if (first!.seen < SOME || addresses.length > MOST_PEOPLE) return addresses
  const rows = await db.query<{ address: string }>(sql`
    select p.address from inbox_people p
    where inbox_person_parts(p.inbox_id, p.folded) @> ${[inbox, ...piecesOf(part)]}::text[]
      and ${own} and p.folded like ${pattern} limit ${few}`)
  return rows.map(({ address }) => address)
}

/** By characters, as PostgreSQL counts them. */
function piecesOf(part: string): string[] {
  const characters = [...part]
  const size = Math.min(3, characters.length)
  const pieces = Array.from({ length: characters.length - size + 1 }, (_, at) =>
    characters.slice(at, at + size).join(''),
  )
  return [...new Set(pieces)]
}
