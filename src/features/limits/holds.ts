import type { Queryable } from '../../kernel/db/database.ts'
import { raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { domainOf, parseMailbox, toAsciiDomain } from '../../mail/address.ts'
import { isSandbox, newId } from '../../platform/ids.ts'

// Mail that operators hold back: of a team, to a domain or a destination, from a domain, with a tag, or all of it. It is accepted, and set aside
// before anything is tried.

/** What is held: mail that fits all that is named. Nothing named is everything. Domains are in lower case and ASCII. */
export interface HoldScope {
  readonly team: string | null
  /** Or one email of the team: see `scopeOfEmail`. */
  readonly recipientDomain: string | null
  readonly senderDomain: string | null
  /** A provider, or the names of a site's mail servers: where it goes, or went when it was tried last. */
  readonly destination: string | null
  /** `name`, or `name:value`. */
  readonly tag: string | null
}

export interface Hold extends HoldScope {
  readonly id: string
  readonly reason: string
  readonly createdAt: Date
}

/** What a hold says that is not narrowed down any further. */
export const ALL_MAIL: HoldScope = {
  team: null,
  recipientDomain: null,
  senderDomain: null,
  destination: null,
  tag: null,
}

const EMAIL_PREFIX = 'email '

/**
 * The hold of one email. It stands where a domain would, and is none: a program that does not know such holds holds nothing for it, instead of
 * everything of the team.
 */
export const scopeOfEmail = (team: string, email: string): HoldScope => ({
  ...ALL_MAIL,
  team,
  recipientDomain: `${EMAIL_PREFIX}${email}`,
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
  readonly tags?: readonly { readonly name: string; readonly value: string }[] | null | undefined
  /** Null: nobody has looked yet. */
  readonly destination?: string | null
}

/** The holds as a process knows them. */
export class Holds {
  readonly #byScope: ReadonlyMap<string, string>
  readonly #senders: boolean
  readonly #tags: boolean
  readonly #emails: boolean
  readonly #destinations: boolean

  /** Broadcasts that have stopped themselves. */
  readonly pausedBroadcasts: readonly string[]

  constructor(holds: readonly (HoldScope & { readonly id: string })[] = [], pausedBroadcasts: readonly string[] = []) {
    this.pausedBroadcasts = pausedBroadcasts
    this.#byScope = new Map(holds.map((hold) => [keyOf(hold), hold.id]))
    this.#senders = holds.some(({ senderDomain }) => senderDomain !== null)
    this.#tags = holds.some(({ tag }) => tag !== null)
    this.#emails = holds.some((hold) => emailOf(hold) !== null)
    this.#destinations = holds.some(({ destination }) => destination !== null)
  }

  get isEmpty(): boolean {
    return this.#byScope.size === 0
  }

  /** Whether it takes the sender or the tags of an email to know if it is held. */
  get needEmails(): boolean {
    return this.#senders || this.#tags
  }

  /** Whether it takes the destination. */
  get needDestinations(): boolean {
    return this.#destinations
  }

  /**
   * The hold that this mail falls under, or null. Without a recipient or a sender: whether all mail of the team does. Mail of sandboxes goes
   * nowhere, and is never held.
   */
  find({ team, recipient, from, emailId, tags, destination }: HeldMail): string | null {
    if (this.isEmpty || isSandbox(team)) return null
    const ofEmail = this.#emails && emailId !== undefined && this.#byScope.get(keyOf(scopeOfEmail(team, emailId)))
    if (ofEmail) return ofEmail
    const keys = keysOf({
      destination: this.#destinations && destination ? [destination] : [],
      tag: this.#tags && tags ? tags.flatMap(({ name, value }) => [name, `${name}:${value}`]) : [],
      senderDomain: this.#senders && from !== undefined ? [domainOfSender(from)] : [],
      recipientDomain: recipient === undefined ? [] : [domainOfAddress(recipient)],
      team: [team],
    })
    for (const key of keys) {
      const id = this.#byScope.get(key)
      if (id !== undefined) return id
    }
    return null
  }
}

/** The keys of all scopes that mail with these values falls under, the widest first. */
const keysOf = (values: Readonly<Record<keyof HoldScope, readonly string[]>>): string[] =>
  SCOPE.reduce<string[]>(
    (keys, name) => ['', ...values[name]].flatMap((value) => keys.map((key) => `${key}${value}\n`)),
    [''],
  )

const SCOPE = ['destination', 'tag', 'senderDomain', 'recipientDomain', 'team'] as const satisfies (keyof HoldScope)[]

const keyOf = (scope: HoldScope) => SCOPE.map((name) => `${scope[name] ?? ''}\n`).join('')

const domainOfAddress = (address: string) => toAsciiDomain(domainOf(address))

const domainOfSender = (from: string) => domainOfAddress(parseMailbox(from)?.address ?? from)

/** Before the domain of what is stored with a destination or a tag: a program that knows neither holds nothing for it, instead of everything. */
const NARROWED_PREFIX = 'also '

const storedDomain = ({ recipientDomain, destination, tag }: HoldScope) =>
  destination === null && tag === null ? recipientDomain : `${NARROWED_PREFIX}${recipientDomain ?? ''}`

/** Of rows of `delivery_holds`. */
const RECIPIENT_DOMAIN = sql`
  case when destination is null and tag is null then recipient_domain
    else nullif(substr(recipient_domain, ${raw(String(NARROWED_PREFIX.length + 1))}), '') end`

const COLUMNS = sql`
  id, team_id as team, ${RECIPIENT_DOMAIN} as "recipientDomain", sender_domain as "senderDomain", destination, tag, reason, created_at as "createdAt"`

export const listHolds = (db: Queryable): Promise<Hold[]> =>
  db.query(sql`select ${COLUMNS} from delivery_holds order by id limit ${MAX_HOLDS}`)

const isOf = (scope: HoldScope): Sql => sql`
  team_id is not distinct from ${scope.team}::uuid and recipient_domain is not distinct from ${storedDomain(scope)}::text
  and sender_domain is not distinct from ${scope.senderDomain}::text
  and destination is not distinct from ${scope.destination}::text and tag is not distinct from ${scope.tag}::text`

export async function findHold(db: Queryable, scope: HoldScope): Promise<Hold | undefined> {
  const [hold] = await db.query<Hold>(sql`select ${COLUMNS} from delivery_holds where ${isOf(scope)}`)
  return hold
}

/** Undefined: there is one with this scope already, or there are too many. */
export async function insertHold(db: Queryable, scope: HoldScope, reason: string): Promise<Hold | undefined> {
  const { team, senderDomain, destination, tag } = scope
  const [hold] = await db.query<Hold>(sql.write`
    insert into delivery_holds (id, team_id, recipient_domain, sender_domain, destination, tag, reason, created_at)
    select ${newId(db.clock)}::uuid, ${team}::uuid, ${storedDomain(scope)}::text, ${senderDomain}::text, ${destination}::text, ${tag}::text,
      ${reason}::text, ${db.clock.now()}::timestamptz
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

/** All of them as JSON, as `Holds` takes them. */
export const HOLD_SCOPES = sql`(
  select json_agg(json_build_object('id', id, 'team', team_id, 'recipientDomain', ${RECIPIENT_DOMAIN},
    'senderDomain', sender_domain, 'destination', destination, 'tag', tag))
  from (select * from delivery_holds order by id limit ${raw(String(MAX_HOLDS))}) found)`

export const HOLD_IDS = sql`(select id from delivery_holds)`
