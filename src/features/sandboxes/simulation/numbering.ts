import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, Transaction } from '../../../kernel/db/database.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { joinEmail, waitingOf } from '../../emails/reads.ts'
import type { CompiledRule, Numbered, RuledEmail } from './rules.ts'
import { lockScenario } from './scenario-store.ts'

/** The numbers of recipients, by `keyOf`. */
export type Numbers = ReadonlyMap<string, Numbered>

export const keyOf = (emailId: string, position: number) => `${emailId} ${position}`

/** Looked through at a time: with a hundred rules some milliseconds. */
const CHUNK = 200
const FIRST = '00000000-0000-0000-0000-000000000000'

interface Recipient extends RuledEmail {
  readonly emailId: string
  readonly position: number
  readonly recipient: string
}

interface NewNumber extends Numbered {
  readonly emailId: string
  readonly position: number
}

/**
 * Gives the recipients of these emails their numbers, after those of all mail of the team that was accepted before: in the order of
 * acceptance, whichever is tried first. Who waits counts, and who comes later; what had left before the scenario was set does not. Null
 * when there is another scenario by now.
 */
export function numberRecipients(
  db: Database,
  { team, version, rules }: { team: string; version: number; rules: readonly CompiledRule[] },
  emailIds: readonly string[],
): Promise<Numbers | null> {
  const counted = rules.flatMap((rule, index) => (rule.match.nth === undefined ? [] : [{ ...rule, index }]))
  return db.transaction(async (trx) => {
    const scenario = await lockScenario(trx, team, version)
    if (!scenario) return null
    const upTo = [...emailIds].sort().at(-1)!
    const known = await findNumbers(trx, team, emailIds)
    const isAllKnown = emailIds.every((id) => known.some(({ emailId }) => emailId === id))
    if (!isAllKnown) {
      const counts = await readCounts(trx, team)
      let after = scenario.numberedTo
      for (let isMore = true; isMore; ) {
        const fresh = await findUnnumbered(trx, team, { after, upTo, emailIds })
        const numbers = fresh.map((one) => numberOne(one, counted, counts))
        if (numbers.length > 0) await insertNumbers(trx, team, numbers)
        known.push(...numbers.filter(({ emailId }) => emailIds.includes(emailId)))
        after = fresh.at(-1)?.emailId ?? after
        isMore = fresh.length === CHUNK
        await nextTurn()
      }
      await writeCounts(trx, team, counts, upTo)
    }
    return new Map(known.map((one) => [keyOf(one.emailId, one.position), one]))
  })
}

const ALL = 'recipients'

function numberOne(
  one: Recipient,
  counted: readonly (CompiledRule & { readonly index: number })[],
  counts: Map<string, number>,
): NewNumber {
  const next = (name: string) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count
  }
  const fitting = counted.filter((rule) => rule.fitsEmail(one) && rule.fitsRecipient(one.recipient))
  const hits = fitting.filter((rule) => next(`rule ${rule.index}`) === rule.match.nth).map(({ index }) => index)
  return { emailId: one.emailId, position: one.position, number: next(ALL), hits }
}

const findNumbers = (trx: Transaction, team: string, emailIds: readonly string[]) =>
  trx.query<NewNumber>(sql`
    select email_id as "emailId", position, number, hits from sandbox_numbers
    where team_id = ${team} and email_id = any (${emailIds}::uuid[])`)

/** From the last one on that has its number; and of the emails that are asked for, for one of them may have been late to commit. */
const findUnnumbered = (
  trx: Transaction,
  team: string,
  { after, upTo, emailIds }: { after: string | null; upTo: string; emailIds: readonly string[] },
) =>
  trx.query<Recipient>(sql`
    select d.email_id as "emailId", d.position, d.recipient, e.from, e.subject, e.tags
    from (
      select d.email_id, d.position, d.recipient from ${waitingOf(team)} and d.email_id <= ${upTo} and d.email_id >= ${after ?? FIRST}
      union
      select d.email_id, d.position, d.recipient from ${waitingOf(team)} and d.email_id = any (${emailIds}::uuid[])) d
    ${joinEmail({ team, id: sql`d.email_id` })}
    where not exists (
      select from sandbox_numbers n where n.team_id = ${team} and n.email_id = d.email_id and n.position = d.position)
    order by d.email_id, d.position limit ${CHUNK}`)

const insertNumbers = (trx: Transaction, team: string, numbers: readonly NewNumber[]) =>
  trx.query(sql.write`
    insert into sandbox_numbers (team_id, email_id, position, number, hits)
    select ${team}, "emailId", position, number, array(select jsonb_array_elements_text(hits)::smallint)
    from ${rowsOf(numbers, { emailId: 'uuid', position: 'smallint', number: 'int', hits: 'jsonb' })}`)

async function readCounts(trx: Transaction, team: string): Promise<Map<string, number>> {
  const rows = await trx.query<{ name: string; count: number }>(
    sql`select name, count from sandbox_counts where team_id = ${team}`,
  )
  return new Map(rows.map(({ name, count }) => [name, count]))
}

async function writeCounts(trx: Transaction, team: string, counts: ReadonlyMap<string, number>, upTo: string) {
  const rows = [...counts]
    .filter(([name]) => name === ALL || name.startsWith('rule '))
    .map(([name, count]) => ({ name, count }))
  await trx.query(sql.write`
    insert into sandbox_counts (team_id, name, count)
    select ${team}, name, count from ${rowsOf(rows, { name: 'text', count: 'int' })}
    on conflict (team_id, name) do update set count = excluded.count`)
  await trx.query(sql.write`
    update sandbox_scenarios set numbered_to = greatest(numbered_to, ${upTo}::uuid) where team_id = ${team}`)
}
