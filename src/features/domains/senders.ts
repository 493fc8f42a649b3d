import type { Queryable } from '../../kernel/db/database.ts'
import { toAsciiDomain } from '../../mail/address.ts'
import { Batcher } from '../../platform/concurrency/batcher.ts'
import { isSandbox } from '../../platform/ids.ts'
import { findSenderRowById, findSenderRows, type SenderRow } from './queries.ts'
import { returnPathHost, trackingHost } from './records.ts'
import type { DomainStatus, TlsMode } from './schema.ts'

/** A domain as the one that sends sees it. */
export interface Sender {
  readonly id: string
  readonly name: string
  readonly status: DomainStatus
  readonly isSendingEnabled: boolean
  /** Sending is enabled and its records are in the DNS: mail from this domain may leave. */
  readonly canSend: boolean
  readonly tls: TlsMode
  readonly returnPathHost: string
  readonly tracking: {
    readonly opens: boolean
    readonly clicks: boolean
    /** Null: tracked links go through the public address of the installation. */
    readonly host: string | null
  }
}

interface Wanted {
  readonly team: string
  /** However it is spelled. */
  readonly domainName: string
}

const LIMITS = { maxItems: 500, maxWrites: 2 }

/**
 * Answers many requests with one statement: those that arrive while one runs share the next, so each sees the domain as it is
 * after it asked. A statement for each request is a sixth of the work of accepting an email.
 */
export class Senders {
  readonly #batcher: Batcher<Wanted, Sender | undefined>

  constructor(db: Queryable) {
    this.#batcher = new Batcher((wanted) => findSenders(db, wanted), LIMITS)
  }

  find(team: string, domainName: string): Promise<Sender | undefined> {
    return this.#batcher.add({ team, domainName })
  }
}

/** The team's domain with this name. One that is still being claimed is not the team's. */
export async function findSender(db: Queryable, team: string, domainName: string): Promise<Sender | undefined> {
  const [sender] = await findSenders(db, [{ team, domainName }])
  return sender
}

export async function findSenderById(db: Queryable, team: string, id: string): Promise<Sender | undefined> {
  const row = await findSenderRowById(db, team, id)
  return row && senderOf(row)
}

async function findSenders(db: Queryable, wanted: readonly Wanted[]): Promise<(Sender | undefined)[]> {
  const keys = wanted.map(({ team, domainName }) => keyOf(team, toAsciiDomain(domainName)))
  const distinct = new Map(wanted.map(({ team, domainName }, index) => [keys[index]!, { team, domainName }]))
  const rows = await findSenderRows(
    db,
    [...distinct.values()].map(({ team, domainName }) => ({ team, name: toAsciiDomain(domainName) })),
  )
  const senders = new Map(rows.map((row) => [keyOf(row.team, row.name), senderOf(row)]))
  return keys.map((key) => senders.get(key))
}

const keyOf = (team: string, name: string) => `${team} ${name}`

const senderOf = (row: SenderRow): Sender => ({
  id: row.id,
  name: row.name,
  status: row.status,
  isSendingEnabled: row.sending,
  canSend: row.sending && row.is_sending_verified,
  tls: row.tls,
  returnPathHost: returnPathHost(row),
  tracking: {
    opens: row.open_tracking,
    clicks: row.click_tracking,
    // Below a name of a sandbox nobody finds us.
    host: row.is_tracking_verified && !isSandbox(row.team) ? trackingHost(row) : null,
  },
})
