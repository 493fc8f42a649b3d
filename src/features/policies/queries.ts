import { createHash } from 'node:crypto'
import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import type { PolicyHolder } from '../../kernel/http/policy-page.ts'
import { groupBy } from '../../platform/group-by.ts'
import { hasMember } from '../contacts/reads.ts'
import { hasWritten } from '../inbound/reads.ts'
import { spellingsOf } from './rules.ts'
import type { Policy } from './schema.ts'
import { dateOf, minuteOf, Timeline } from './timeline.ts'

/** A policy, by the team and the id of whoever has it. */
export interface PolicyRef {
  readonly team: string
  readonly policyId: string
}

export interface StoredPolicy extends PolicyRef {
  readonly holder: PolicyHolder
  readonly policy: Policy
}

/** Replaces the policy that there is. */
export const writePolicy = (trx: Transaction, { team, policyId, holder, policy }: StoredPolicy) =>
  trx.query(sql.write`
    insert into policies (team_id, id, holder_kind, policy, updated_at)
    values (${team}, ${policyId}, ${holder}, ${JSON.stringify(policy)}::jsonb, ${trx.clock.of(team).now()})
    on conflict (team_id, id) do update set policy = excluded.policy, updated_at = excluded.updated_at`)

export const deletePolicy = (db: Queryable, { team, policyId }: PolicyRef) =>
  db.query(sql.write`delete from policies where team_id = ${team} and id = ${policyId}`)

const ofThese = (refs: readonly PolicyRef[]): Sql =>
  sql`(p.team_id, p.id) in (select team, "policyId" from ${rowsOf(refs, { team: 'uuid', policyId: 'uuid' })})`

/** Of whatever has ended with its policy. */
export async function deletePolicies(db: Queryable, refs: readonly PolicyRef[]) {
  if (refs.length > 0) await db.query(sql.write`delete from policies p where ${ofThese(refs)}`)
}

const COLUMNS = sql`p.team_id as team, p.id as "policyId", p.holder_kind as holder, p.policy`

export const readPolicies = (db: Queryable, refs: readonly PolicyRef[]) =>
  db.query<StoredPolicy>(sql`select ${COLUMNS} from policies p where ${ofThese(refs)}`)

/** Whether a key, a grant or an inbox's agent has a policy. */
export const isGuarded = async (db: Queryable, ref: PolicyRef): Promise<boolean> =>
  (await readPolicies(db, [ref])).length > 0

/** As they are now, locked until the transaction ends: whoever counts against one takes turns, and in one order. */
export const lockPolicies = (trx: Transaction, refs: readonly PolicyRef[]) =>
  trx.query<StoredPolicy>(sql`
    select ${COLUMNS} from policies p where ${ofThese(refs)} order by p.team_id, p.id for no key update`)

/** All recipients of a policy together. */
const EVERYBODY = Buffer.alloc(0)
const DIGEST_BYTES = 16

/** Of another policy it is another one: nobody learns from it who was written to under both. */
const digestOf = (policyId: string, person: string | null): Buffer =>
  person === null ? EVERYBODY : createHash('sha256').update(`${policyId} ${person}`).digest().subarray(0, DIGEST_BYTES)

/** Who is counted under a policy: a person, or null for all together. */
export interface Counted extends PolicyRef {
  readonly person: string | null
}

export interface CountedUse extends Counted {
  readonly timeline: Timeline
}

/** The current minute of a team, as uses and refusals are counted by. */
export const currentMinute = ({ clock }: Queryable, team: string): number => minuteOf(clock.of(team).now())

/** What has left, or will, from a minute to another. */
export async function readUses(
  db: Queryable,
  counted: readonly (Counted & { readonly from: number; readonly to: number })[],
): Promise<CountedUse[]> {
  if (counted.length === 0) return []
  const rows = counted.map(({ team, policyId, person, from, to }, index) => ({
    ...{ index, team, policyId, recipient: digestOf(policyId, person), from: dateOf(from), to: dateOf(to) },
  }))
  const columns = {
    index: 'int',
    team: 'uuid',
    policyId: 'uuid',
    recipient: 'bytea',
    from: 'timestamptz',
    to: 'timestamptz',
  } as const
  const used = await db.query<{ index: number; minute: Date; emails: number }>(sql`
    select given.index, u.minute, u.emails from ${rowsOf(rows, columns)}
    join policy_uses u on u.team_id = given.team and u.policy_id = given."policyId" and u.recipient = given.recipient
      and u.minute between given."from" and given."to"`)
  const byIndex = groupBy(used, ({ index }) => index)
  return counted.map(({ team, policyId, person }, index) => {
    const entries = (byIndex.get(index) ?? []).map(({ minute, emails }) => [minuteOf(minute), emails] as const)
    return { team, policyId, person, timeline: new Timeline(entries) }
  })
}

/** A recipient, and what may allow one who is not listed. */
export interface Unlisted extends PolicyRef {
  readonly address: string
  readonly segmentId: string | null
  readonly wroteFirst: boolean
}

/** Those whom a segment, or mail that they have written, allows. `keepsMail`: teams of which nothing leaves, so that a sender need not be proven. */
export async function findAllowed(
  db: Queryable,
  unlisted: readonly Unlisted[],
  keepsMail: (team: string) => boolean,
): Promise<Unlisted[]> {
  if (unlisted.length === 0) return []
  const rows = unlisted.flatMap((one, index) =>
    spellingsOf(one.address).map((spelling) => ({ ...one, index, spelling, isTrusting: keepsMail(one.team) })),
  )
  const columns = {
    index: 'int',
    team: 'uuid',
    address: 'text',
    spelling: 'text',
    segmentId: 'uuid',
    wroteFirst: 'boolean',
    isTrusting: 'boolean',
  } as const
  const allowed = await db.query<{ index: number }>(sql`
    select distinct given.index from ${rowsOf(rows, columns)}
    where (given."segmentId" is not null
        and ${hasMember({ team: sql`given.team`, segment: sql`given."segmentId"`, email: sql`given.spelling` })})
      or (given."wroteFirst"
        and ${hasWritten({ team: sql`given.team`, address: sql`given.address`, isTrusting: sql`given."isTrusting"` })})`)
  return allowed.map(({ index }) => unlisted[index]!)
}

/** Mail that is accepted under a policy. */
export interface PolicyEmail extends PolicyRef {
  readonly id: string
  /** As many as are counted. 0: it was scheduled while there was no policy, and this only says by whom. */
  readonly recipients: number
  readonly isHeld: boolean
  /** The minute in which it is counted. Null: in that in which it was before, if any. */
  readonly countedAt: Date | null
}

const EMAIL_COLUMNS = {
  team: 'uuid',
  policyId: 'uuid',
  id: 'uuid',
  recipients: 'int',
  isHeld: 'boolean',
  countedAt: 'timestamptz',
} as const

const insertEmails = (emails: readonly PolicyEmail[]): Sql => sql.write`
  insert into policy_emails as e (team_id, policy_id, email_id, recipients, is_held, counted_at)
  select team, "policyId", id, recipients, "isHeld", "countedAt" from ${rowsOf(emails, EMAIL_COLUMNS, 'one')}
  on conflict (team_id, policy_id, email_id) do update set recipients = excluded.recipients, is_held = excluded.is_held,
    counted_at = coalesce(excluded.counted_at, e.counted_at)`

/** Writes down whose mail it is, and counts nothing. */
export async function writePolicyEmails(trx: Transaction, emails: readonly PolicyEmail[]) {
  if (emails.length > 0) await trx.query(insertEmails(emails))
}

/** What is counted of somebody in a minute. */
export interface Use extends Counted {
  readonly minute: number
  readonly emails: number
}

const rowsOfUses = (uses: readonly Use[]): Sql => {
  const rows = uses.map(({ team, policyId, person, minute, emails }) => ({
    ...{ team, policyId, recipient: digestOf(policyId, person), emails, minute: dateOf(minute) },
  }))
  const columns = { team: 'uuid', policyId: 'uuid', recipient: 'bytea', minute: 'timestamptz', emails: 'int' } as const
  return rowsOf(rows, columns)
}

/** Counts what is accepted, in the transaction that accepts it and has locked the policies. */
export async function writeUses(trx: Transaction, emails: readonly PolicyEmail[], uses: readonly Use[]) {
  await trx.query(sql.write`
    with accepted as (${insertEmails(emails)})
    insert into policy_uses as u (team_id, policy_id, recipient, minute, emails)
    select team, "policyId", recipient, minute, emails from ${rowsOfUses(uses)}
    on conflict (team_id, policy_id, recipient, minute) do update set emails = u.emails + excluded.emails`)
}

/** Takes back what was counted. Of a policy that was another one meanwhile there is nothing, or less. */
export async function takeBackUses(trx: Transaction, uses: readonly Use[]) {
  if (uses.length === 0) return
  await trx.query(sql.write`
    update policy_uses u set emails = greatest(0, u.emails - given.emails) from ${rowsOfUses(uses)}
    where u.team_id = given.team and u.policy_id = given."policyId" and u.recipient = given.recipient and u.minute = given.minute`)
}
