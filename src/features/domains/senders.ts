import type { Database, Queryable } from '../../kernel/db/database.ts'
import { toAsciiDomain } from '../../mail/address.ts'
import { Batcher } from '../../platform/concurrency/batcher.ts'
import type { MaybePromise } from '../../platform/concurrency/maybe-promise.ts'
import { isSandbox } from '../../platform/ids.ts'
import { DOMAINS_CHANNEL, findSenderRowById, findSenderRows, type SenderRow } from './queries.ts'
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

/** As long as a key is trusted. Changes are announced, so this is for what is not heard. */
const CACHE_TTL_MS = 800
const CACHE_SIZE = 10_000

interface CachedSender {
  readonly until: number
  readonly sender: Sender
}

/**
 * The domains that mail is sent from. Each is asked for once in a while and remembered until somebody changes a domain, here or in another
 * process: a statement for each email would come before the one that accepts it. Requests that ask at the same time share one.
 */
export class Senders {
  readonly #db: Database
  readonly #batcher: Batcher<Wanted, Sender | undefined>
  /** In the order in which they were read. */
  readonly #known = new Map<string, CachedSender>()
  #isFollowing = false
  /** Counts changes: what was read before the last one is not remembered. */
  #changes = 0

  constructor(db: Database) {
    this.#db = db
    this.#batcher = new Batcher((wanted) => findSenders(db, wanted), LIMITS)
  }

  /** Hears of changes, and remembers, until the function that it gives is called. */
  follow(): () => void {
    this.#isFollowing = true
    const ignore = this.#db.signals.watch(DOMAINS_CHANNEL, () => this.forget())
    return () => {
      this.#isFollowing = false
      this.forget()
      ignore()
    }
  }

  forget() {
    this.#changes++
    this.#known.clear()
  }

  find(team: string, domainName: string): MaybePromise<Sender | undefined> {
    const key = keyOf(team, domainName)
    const known = this.#known.get(key)
    if (known && known.until > performance.now()) return known.sender
    const changes = this.#changes
    return this.#batcher.add({ team, domainName }).then((sender) => {
      // Who has just added a domain, perhaps in another process, sends from it at once.
      if (sender && this.#isFollowing && changes === this.#changes) this.#remember(key, sender)
      return sender
    })
  }

  #remember(key: string, sender: Sender) {
    this.#known.delete(key)
    this.#known.set(key, { until: performance.now() + CACHE_TTL_MS, sender })
    if (this.#known.size > CACHE_SIZE) this.#known.delete(this.#known.keys().next().value!)
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
