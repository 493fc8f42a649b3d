import type { Database, Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { hours, minutes } from '../../../../kernel/jobs/job.ts'
import type { Expired } from '../../../../kernel/jobs/retention.ts'
import { levelOf } from '../../../../platform/database-errors.ts'
import type { Log } from '../../../../platform/observability/log.ts'

const CHANNEL = 'destination-pauses'

/** After the first, second, … refusal in a row; from then on the last one. Lists forget an address within hours to days. */
const PAUSE_SECONDS = [minutes(15), hours(1), hours(4)] as const
/** What was refused longer ago says nothing about today. */
export const FORGET_SECONDS = hours(72)
/** So many are looked after. Others are refused again, and cost a conversation. */
const MAX_PAUSES = 10_000
const READ_EVERY_MS = 15_000

export interface DestinationPause {
  readonly destination: string
  readonly pausedUntil: Date
  readonly refusals: number
  readonly host: string | null
  readonly reply: string
}

/** The mail for a domain, as a destination. */
export const domainAsDestination = (domain: string) => `@${domain}`

/**
 * Who does not take mail from our address, whatever it is and whomever it is for: on a blocklist every conversation is one more
 * reason to stay there. The pauses are in the database, so that all nodes keep them, also those that start; each has them in memory
 * too, so that no mail asks the database.
 */
export class DestinationPauses {
  readonly #db: Database
  readonly #log: Log
  #pauses: ReadonlyMap<string, DestinationPause> = new Map()
  #readMs = Number.NEGATIVE_INFINITY

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  /** Follows what other nodes find out, until the function that it gives is called. */
  async follow(): Promise<() => void> {
    const { presence, signals } = this.#db
    const refresh = () => void this.#refresh()
    const refreshIfOld = () => {
      if (performance.now() - this.#readMs > READ_EVERY_MS) refresh()
    }
    presence.on('renewed', refreshIfOld)
    const ignore = signals.watch(CHANNEL, refresh)
    await this.#refresh()
    return () => {
      presence.off('renewed', refreshIfOld)
      ignore()
    }
  }

  /** Null: it may be asked. */
  find(destination: string): DestinationPause | null {
    if (this.#pauses.size === 0) return null
    const pause = this.#pauses.get(destination)
    return pause && pause.pausedUntil > this.#db.clock.now() ? pause : null
  }

  /** For metrics. */
  get count(): number {
    const now = this.#db.clock.now()
    return [...this.#pauses.values()].filter(({ pausedUntil }) => pausedUntil > now).length
  }

  /** Conversations that were under way when the first was refused hear the same: that is one refusal. */
  async refused(refusal: {
    destination: string
    host: string | null
    reply: string
    startedAt: Date
  }): Promise<DestinationPause | null> {
    const pause = await insertPause(this.#db, refusal, this.#db.clock.now())
    if (pause) {
      this.#set(pause)
      this.#db.signals.announce(CHANNEL)
      this.#log.warn(
        {
          destination: pause.destination,
          host: pause.host,
          reply: pause.reply,
          refusals: pause.refusals,
          until: pause.pausedUntil,
        },
        'delivery: our IP address is refused; mail to this destination is paused',
      )
    } else await this.#refresh()
    return this.find(refusal.destination)
  }

  /** Mail was taken in a conversation that began then. */
  taken(destination: string, startedAt: Date) {
    const pause = this.#pauses.size > 0 ? this.#pauses.get(destination) : undefined
    if (!pause || startedAt < pause.pausedUntil) return
    this.#pauses = new Map([...this.#pauses].filter(([name]) => name !== destination))
    this.#log.info({ destination }, 'delivery: our IP address is accepted again')
    void deletePause(this.#db, pause).catch((error) =>
      this.#log[levelOf(error, 'error')]({ error, destination }, 'delivery: ending a pause failed'),
    )
  }

  #set(pause: DestinationPause) {
    this.#pauses = new Map([...this.#pauses, [pause.destination, pause]])
  }

  async #refresh() {
    this.#readMs = performance.now()
    try {
      const found = await findPauses(this.#db, this.#db.clock.now())
      this.#pauses = new Map(found.map((pause) => [pause.destination, pause]))
    } catch (error) {
      this.#log[levelOf(error, 'error')]({ error }, 'delivery: reading the paused destinations failed')
    }
  }
}

const COLUMNS = sql`destination, paused_until as "pausedUntil", refusals, host, reply`

const findPauses = (db: Queryable, now: Date) =>
  db.query<DestinationPause>(sql`
    select ${COLUMNS} from destination_pauses
    where paused_until > ${now}::timestamptz - make_interval(secs => ${FORGET_SECONDS})
    order by paused_until desc limit ${MAX_PAUSES}`)

async function insertPause(
  db: Queryable,
  { destination, host, reply, startedAt }: { destination: string; host: string | null; reply: string; startedAt: Date },
  now: Date,
): Promise<DestinationPause | undefined> {
  const isForgotten = sql`p.paused_until < ${now}::timestamptz - make_interval(secs => ${FORGET_SECONDS})`
  const refusals = sql`case when ${isForgotten} then 1 else least(p.refusals + 1, ${PAUSE_SECONDS.length}) end`
  const longer = sql`make_interval(secs => (${[...PAUSE_SECONDS]}::int[])[${refusals}])`
  const [pause] = await db.query<DestinationPause>(sql.write`
    insert into destination_pauses as p (destination, refusals, paused_until, host, reply, refused_at)
    values (${destination}, 1, ${now}::timestamptz + make_interval(secs => ${PAUSE_SECONDS[0]}), ${host}, ${reply}, ${now})
    on conflict (destination) do update set refusals = ${refusals}, paused_until = ${now}::timestamptz + ${longer},
      host = excluded.host, reply = excluded.reply, refused_at = excluded.refused_at
    where p.paused_until <= ${startedAt}::timestamptz
    returning ${COLUMNS}`)
  return pause
}

/** An operator wants all of them to be asked again. Who refuses us once more is paused for longer. */
export async function endPauses(trx: Transaction) {
  const now = trx.clock.now()
  await trx.query(
    sql.write`update destination_pauses set paused_until = ${now} where paused_until > ${now}::timestamptz`,
  )
  trx.announce(CHANNEL)
}

/** Unless somebody was refused meanwhile. */
const deletePause = (db: Queryable, { destination, pausedUntil }: DestinationPause) =>
  db.query(
    sql.write`delete from destination_pauses where destination = ${destination} and paused_until = ${pausedUntil}`,
  )

/** Deletes some of those that ended before, and returns whether there may be more. */
export async function deletePausesBefore(db: Queryable, { moment, limit }: Expired): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from destination_pauses where destination in (
      select destination from destination_pauses where paused_until < ${moment} limit ${limit})
    returning destination`)
  return rows.length === limit
}
