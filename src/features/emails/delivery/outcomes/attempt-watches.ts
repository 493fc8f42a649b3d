import type { Database, Queryable } from '../../../../kernel/db/database.ts'
import { wakeWatchers } from '../../../../kernel/db/nodes.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import type { Log } from '../../../../platform/observability/log.ts'
import { RecordQueue } from '../../../../platform/observability/record-queue.ts'
import { RepeatedErrors } from '../../../../platform/observability/repeated-errors.ts'
import type { AttemptFacts } from './attempt-facts.ts'
import type { AttemptRecord } from './attempt-record.ts'

/** Which attempts somebody follows. What is unset is not asked for. */
export interface WatchFilter {
  /** Of the recipient, or the destination: a provider, or a mail server. */
  readonly domain?: string
  readonly email?: string
  readonly team?: string
  readonly isFailOnly?: boolean
}

/** What a watch gets: the record with what was said. */
export type WatchedAttempt = AttemptRecord & { readonly dialogue: string }
/** A process has heard of the watch: from here on none of its attempts is missed. */
export interface FollowedNode {
  readonly object: 'following'
  readonly node: number
}
/** More happened than can be followed. */
export interface SkippedAttempts {
  readonly object: 'skipped'
  readonly node: number
  readonly records: number
}

export type WatchNotice = WatchedAttempt | FollowedNode | SkippedAttempts

const WATCHES_CHANNEL = 'attempt_watches'

/** How often a watch has to be renewed. */
export const RENEW_EVERY_MS = 5_000
/** By the clock of each process alone: the number of renewals stands still. */
const EXPIRES_AFTER_MS = 45_000
const CHECK_EVERY_MS = 15_000

export async function beginWatch(db: Queryable, channel: string, filter: WatchFilter) {
  await db.query(sql.write`
    insert into attempt_watches (channel, filter, created_at) values (${channel}, ${JSON.stringify(filter)}::jsonb, ${db.clock.now()})`)
  await db.query(wakeWatchers(WATCHES_CHANNEL))
}

/** Also tells processes that have started meanwhile. */
export async function renewWatch(db: Queryable, channel: string) {
  await db.query(sql.write`update attempt_watches set renewals = renewals + 1 where channel = ${channel}`)
  await db.query(wakeWatchers(WATCHES_CHANNEL))
}

export async function endWatch(db: Queryable, channel: string) {
  await db.query(sql.write`delete from attempt_watches where channel = ${channel}`)
  await db.query(wakeWatchers(WATCHES_CHANNEL))
}

interface Watch {
  readonly filter: WatchFilter
  readonly queue: RecordQueue
  renewals: number
  renewedMs: number
  skipped: number
}

/** PostgreSQL takes 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900
/** Nobody reads more of it, and others want to use the database, too. */
const MAX_RECORDS_PER_BATCH = 200
const BATCH_EVERY_MS = 100

/**
 * Tells those who follow attempts (`postwren trace`), by NOTIFY on a channel of their own: nothing is stored. As long as nobody does, this process
 * asks nothing and makes no record; who begins to follow wakes it.
 */
export class AttemptWatches {
  readonly #db: Database
  readonly #errors: RepeatedErrors
  readonly #watches = new Map<string, Watch>()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#errors = new RepeatedErrors(log, 'delivery: publishing attempts to watchers failed')
  }

  get isEmpty(): boolean {
    return this.#watches.size === 0
  }

  async follow(): Promise<() => void> {
    const ignore = this.#db.signals.watch(WATCHES_CHANNEL, () => void this.#read())
    return () => {
      ignore()
      clearTimeout(this.#timer)
      this.#watches.clear()
    }
  }

  tell(record: AttemptRecord, facts: AttemptFacts | undefined) {
    let text: string | null = null
    for (const watch of this.#watches.values()) {
      if (!isWanted(record, watch.filter)) continue
      text ??= payloadOf({ ...record, dialogue: facts?.conversation.dialogue ?? '' })
      watch.queue.add(text)
    }
  }

  async #read() {
    try {
      const rows = await this.#db.query<{ channel: string; filter: WatchFilter; renewals: number }>(sql`
        select channel, filter, renewals from attempt_watches`)
      const nowMs = performance.now()
      for (const { channel, filter, renewals } of rows) {
        const known = this.#watches.get(channel)
        if (!known) this.#watches.set(channel, this.#begin(channel, filter, { renewals, nowMs }))
        else if (known.renewals !== renewals) Object.assign(known, { renewals, renewedMs: nowMs })
      }
      const there = new Set(rows.map(({ channel }) => channel))
      for (const [channel, { renewedMs }] of this.#watches) {
        const isOver = nowMs - renewedMs > EXPIRES_AFTER_MS
        if (isOver || !there.has(channel)) this.#watches.delete(channel)
        if (isOver) await this.#db.query(sql.write`delete from attempt_watches where channel = ${channel}`)
      }
    } catch (error) {
      this.#errors.note(error)
    }
    clearTimeout(this.#timer)
    if (!this.isEmpty) this.#timer = setTimeout(() => void this.#read(), CHECK_EVERY_MS).unref()
  }

  #begin(channel: string, filter: WatchFilter, { renewals, nowMs }: { renewals: number; nowMs: number }): Watch {
    const queue = new RecordQueue({
      restMs: BATCH_EVERY_MS,
      hand: (texts) => this.#notify(channel, texts),
      onTaken: () => {},
      onDropped: (records, error) => {
        watch.skipped += records
        this.#errors.note(error)
      },
    })
    const watch: Watch = { filter, queue, renewals, renewedMs: nowMs, skipped: 0 }
    const following: FollowedNode = { object: 'following', node: this.#db.presence.node }
    queue.add(JSON.stringify(following))
    return watch
  }

  async #notify(channel: string, texts: readonly string[]) {
    const watch = this.#watches.get(channel)
    if (!watch) return
    const told = texts.slice(0, MAX_RECORDS_PER_BATCH)
    const records = watch.skipped + texts.length - told.length
    const skipped: SkippedAttempts = { object: 'skipped', node: this.#db.presence.node, records }
    const payloads = records > 0 ? [...told, JSON.stringify(skipped)] : told
    watch.skipped = 0
    await this.#db.query(sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) payload`)
  }
}

const SUCCESSES: readonly AttemptRecord['outcome'][] = ['delivered', 'complained']

function isWanted(record: AttemptRecord, { domain, email, team, isFailOnly = false }: WatchFilter): boolean {
  if (email !== undefined && record.email !== email) return false
  if (team !== undefined && record.team !== team) return false
  if (isFailOnly && SUCCESSES.includes(record.outcome)) return false
  const { destination, provider, host } = record
  return domain === undefined || [record.domain, destination, provider, host].includes(domain)
}

/** Of a dialogue that does not fit the beginning goes: how it ended is what people look for. */
function payloadOf(attempt: WatchedAttempt): string {
  let lines = attempt.dialogue.split('\n')
  for (;;) {
    const text = JSON.stringify({ ...attempt, dialogue: lines.join('\n') })
    if (Buffer.byteLength(text) <= MAX_PAYLOAD_BYTES || lines.length === 0) return text
    lines = lines.slice(Math.ceil(lines.length / 4))
  }
}
