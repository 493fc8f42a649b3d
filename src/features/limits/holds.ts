import type { Queryable } from '../../kernel/db/database.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { domainOf, parseMailbox, toAsciiDomain } from '../../mail/address.ts'
import { isSandbox, newId } from '../../platform/ids.ts'

// Mail that operators hold back: of a team, to a domain, from a domain, or all of it. It is accepted, and set aside before anything is tried.

/** What is held: mail that fits all that is named. Nothing named is everything. Domains are in lower case and ASCII. */
export interface HoldScope {
  readonly team: string | null
  /** Or one email of the team: see `scopeOfEmail`. */
  readonly recipientDomain: string | null
  readonly senderDomain: string | null
}

export interface Hold extends HoldScope {
  readonly id: string
  readonly reason: string
  readonly createdAt: Date
}

const EMAIL_PREFIX = 'email '

/**
 * The hold of one email. It stands where a domain would, and is none: a program that does not know such holds holds nothing for it, instead of
 * everything of the team.
 */
export const scopeOfEmail = (team: string, email: string): HoldScope => ({
  team,
  recipientDomain: `${EMAIL_PREFIX}${email}`,
  senderDomain: null,
})

/** The email that it is about. Null: it is not about one. */
export const emailOf = ({ recipientDomain }: Pick<HoldScope, 'recipientDomain'>): string | null =>
  recipientDomain?.startsWith(EMAIL_PREFIX) ? recipientDomain.slice(EMAIL_PREFIX.length) : null

/** Every process has all of them in memory, and reads them with each heartbeat. */
export const MAX_HOLDS = 1_000

/** What is asked of a mail. */
interface HeldMail {
  readonly team: string
  readonly recipient?: string
  readonly from?: string | undefined
  readonly emailId?: string
}

/** The holds as a process knows them. */
export class Holds {
  readonly #byScope: ReadonlyMap<string, string>
  readonly #senders: boolean
  readonly #emails: boolean

  /** Broadcasts that have stopped themselves. */
  readonly pausedBroadcasts: readonly string[]

  constructor(holds: readonly (HoldScope & { readonly id: string })[] = [], pausedBroadcasts: readonly string[] = []) {
    this.pausedBroadcasts = pausedBroadcasts
    this.#byScope = new Map(holds.map((hold) => [keyOf(hold), hold.id]))
    this.#senders = holds.some(({ senderDomain }) => senderDomain !== null)
    this.#emails = holds.some((hold) => emailOf(hold) !== null)
  }

  get isEmpty(): boolean {
    return this.#byScope.size === 0
  }

  /** Whether it takes the sender of an email to know if it is held. */
  get needSenders(): boolean {
    return this.#senders
  }

  /**
   * The hold that this mail falls under, or null. Without a recipient or a sender: whether all mail of the team does. Mail of sandboxes goes
   * nowhere, and is never held.
   */
  find({ team, recipient, from, emailId }: HeldMail): string | null {
    if (this.isEmpty || isSandbox(team)) return null
    const ofEmail = this.#emails && emailId !== undefined && this.#byScope.get(keyOf(scopeOfEmail(team, emailId)))
    if (ofEmail) return ofEmail
    const recipientDomains = recipient === undefined ? [null] : [null, domainOfAddress(recipient)]
    const senderDomains = from === undefined || !this.#senders ? [null] : [null, domainOfSender(from)]
    for (const senderDomain of senderDomains)
      for (const recipientDomain of recipientDomains)
        for (const one of [null, team]) {
          const id = this.#byScope.get(keyOf({ team: one, recipientDomain, senderDomain }))
          if (id !== undefined) return id
        }
    return null
  }
}

const keyOf = ({ team, recipientDomain, senderDomain }: HoldScope) =>
  `${team ?? ''} ${recipientDomain ?? ''} ${senderDomain ?? ''}`

const domainOfAddress = (address: string) => toAsciiDomain(domainOf(address))

const domainOfSender = (from: string) => domainOfAddress(parseMailbox(from)?.address ?? from)

const COLUMNS = sql`
  id, team_id as team, recipient_domain as "recipientDomain", sender_domain as "senderDomain", reason, created_at as "createdAt"`

export const listHolds = (db: Queryable): Promise<Hold[]> =>
  db.query(sql`select ${COLUMNS} from delivery_holds order by id limit ${MAX_HOLDS}`)

const isOf = ({ team, recipientDomain, senderDomain }: HoldScope): Sql => sql`
  team_id is not distinct from ${team}::uuid and recipient_domain is not distinct from ${recipientDomain}::text
  and sender_domain is not distinct from ${senderDomain}::text`

export async function findHold(db: Queryable, scope: HoldScope): Promise<Hold | undefined> {
  const [hold] = await db.query<Hold>(sql`select ${COLUMNS} from delivery_holds where ${isOf(scope)}`)
  return hold
}

/** Undefined: there is one with this scope already, or there are too many. */
export async function insertHold(db: Queryable, scope: HoldScope, reason: string): Promise<Hold | undefined> {
  const { team, recipientDomain, senderDomain } = scope
  const [hold] = await db.query<Hold>(sql.write`
    insert into delivery_holds (id, team_id, recipient_domain, sender_domain, reason, created_at)
    select ${newId(db.clock)}::uuid, ${team}::uuid, ${recipientDomain}::text, ${senderDomain}::text, ${reason}::text,
      ${db.clock.now()}::timestamptz
    where (select count(*) from delivery_holds) < ${MAX_HOLDS}
    on conflict do nothing returning ${COLUMNS}`)
  return hold
}

/** Waits for whoever sets mail aside for it at this moment: what is aside then is taken up. */
export async function deleteHold(db: Queryable, scope: HoldScope): Promise<Hold | undefined> {
  const [hold] = await db.query<Hold>(sql.write`delete from delivery_holds where ${isOf(scope)} returning ${COLUMNS}`)
  return hold
}

/** Which of these holds are there. The share lock lets nobody release one before the transaction ends. */
export const lockHolds = (ids: readonly string[]): Sql => sql`
  select id from delivery_holds where id = any (${ids}::uuid[]) order by id for share`

export const HOLD_IDS = sql`(select id from delivery_holds)`
