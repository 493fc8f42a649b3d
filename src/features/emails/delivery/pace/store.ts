import type { Database, Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { rowsOf } from '../../../../kernel/db/rows.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { hours } from '../../../../kernel/jobs/job.ts'
import type { Expired } from '../../../../kernel/jobs/retention.ts'
import { newId } from '../../../../platform/ids.ts'
import { nextPace, type PaceBounds, type PaceEvent, type PaceState } from './controller.ts'
import type { PacedKind } from './identity.ts'

/** Which controller. */
export interface PaceKey {
  readonly destination: string
  readonly kind: PacedKind
  readonly identity: string
}

export interface KeptPace extends PaceKey {
  readonly state: PaceState
  readonly reply: string
}

/** Something that is to be told to a controller. */
export interface PaceUpdate extends PaceKey {
  readonly event: PaceEvent
  readonly bounds: PaceBounds
  /** Of a throttle reply. */
  readonly reply?: string
  readonly class?: string | undefined
}

/** So many are looked after. Others are found out again. */
export const MAX_CONTROLLERS = 10_000
export const KEEP_SECONDS = 7 * hours(24)
/** Growth is noted when it comes to so much: otherwise each controller would write a line in ten seconds. */
const NOTED_GROWTH = 0.1

interface Row extends PaceKey {
  readonly rate: number
  readonly limit: number
  readonly confirmations: number
  readonly connections: number | null
  readonly complaints: number
  readonly cutAt: Date
  readonly restUntil: Date
  readonly roundAt: Date
  readonly taken: number
  readonly deferred: number
  readonly reply: string
  readonly class: string | null
  readonly notedRate: number
}

const COLUMNS = sql`
  destination, kind, identity, rate, limit_rate as "limit", confirmations, connections, complaints, cut_at as "cutAt",
  rest_until as "restUntil", round_at as "roundAt", taken, deferred, reply, class, noted_rate as "notedRate"`

const stateOf = ({ cutAt, restUntil, roundAt, ...row }: Row): PaceState => ({
  rate: row.rate,
  limit: row.limit,
  confirmations: row.confirmations,
  connections: row.connections,
  complaints: row.complaints,
  taken: row.taken,
  deferred: row.deferred,
  cutAt: cutAt.getTime(),
  restUntil: restUntil.getTime(),
  roundAt: roundAt.getTime(),
})

export async function findPaces(db: Queryable): Promise<KeptPace[]> {
  const rows = await db.query<Row>(
    sql`select ${COLUMNS} from pace_controllers order by changed_at desc limit ${MAX_CONTROLLERS}`,
  )
  return rows.map((row) => ({
    destination: row.destination,
    kind: row.kind,
    identity: row.identity,
    state: stateOf(row),
    reply: row.reply,
  }))
}

/** What became of a controller; null: it is gone. */
export type UpdatedPace = PaceKey & { readonly state: PaceState | null }

/**
 * Tells controllers what nodes have heard, each under a lock of its row: whatever several of them heard, it is one state, and a throttle
 * reply that another node was faster with counts once.
 */
export async function applyPaceUpdates(db: Database, news: readonly PaceUpdate[]): Promise<UpdatedPace[]> {
  const told: UpdatedPace[] = []
  await db.transaction(async (trx) => {
    for (const one of [...news].sort((a, b) => compare(keyText(a), keyText(b))))
      told.push(await applyPaceUpdate(trx, one))
  })
  return told
}

export const keyText = ({ destination, kind, identity }: PaceKey) => `${kind} ${identity} ${destination}`

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

async function applyPaceUpdate(trx: Transaction, news: PaceUpdate): Promise<UpdatedPace> {
  const { destination, kind, identity, event, bounds } = news
  const now = trx.clock.now().getTime()
  // The row may not be there yet, and then there is nothing of it to lock.
  await trx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`pace ${keyText(news)}`}, 0))`)
  const [row] = await trx.query<Row>(sql`
    select ${COLUMNS} from pace_controllers where destination = ${destination} and kind = ${kind} and identity = ${identity}`)
  const before = row ? stateOf(row) : null
  const { state, cause } = nextPace(before, event, { now, bounds })
  const from = before?.rate ?? null
  const isNoted =
    cause === 'throttled' ||
    cause === 'forgotten' ||
    (cause === 'grown' && state!.rate >= (row?.notedRate ?? 0) * (1 + NOTED_GROWTH))
  if (isNoted)
    await insertChange(trx, {
      ...news,
      cause,
      from: cause === 'grown' ? row!.notedRate : from,
      to: state?.rate ?? null,
    })
  if (state && state !== before) {
    const said = cause === 'throttled' ? { reply: news.reply ?? '', class: news.class ?? null } : row!
    await upsert(trx, news, {
      state,
      reply: said.reply,
      class: said.class,
      noted: isNoted ? state.rate : row!.notedRate,
    })
  }
  if (!state && row)
    await trx.query(sql.write`
      delete from pace_controllers where destination = ${destination} and kind = ${kind} and identity = ${identity}`)
  return { destination, kind, identity, state }
}

async function upsert(
  trx: Transaction,
  key: PaceKey,
  kept: { state: PaceState; reply: string; class: string | null; noted: number },
) {
  const { state } = kept
  const row = {
    ...{ destination: key.destination, kind: key.kind as string, identity: key.identity },
    ...{
      rate: state.rate,
      limit_rate: state.limit,
      confirmations: state.confirmations,
      connections: state.connections,
    },
    ...{
      complaints: state.complaints,
      taken: state.taken,
      deferred: state.deferred,
      reply: kept.reply,
      class: kept.class,
    },
    ...{ cut_at: new Date(state.cutAt), rest_until: new Date(state.restUntil), round_at: new Date(state.roundAt) },
    ...{ noted_rate: kept.noted, changed_at: trx.clock.now() },
  }
  await trx.query(sql.write`
    insert into pace_controllers (destination, kind, identity, rate, limit_rate, confirmations, connections, complaints, taken, deferred,
      reply, class, cut_at, rest_until, round_at, noted_rate, changed_at)
    select * from ${rowsOf([row], {
      ...({ destination: 'text', kind: 'text', identity: 'text', rate: 'float8', limit_rate: 'float8' } as const),
      ...({
        confirmations: 'smallint',
        connections: 'int',
        complaints: 'smallint',
        taken: 'int',
        deferred: 'int',
      } as const),
      ...({
        reply: 'text',
        class: 'text',
        cut_at: 'timestamptz',
        rest_until: 'timestamptz',
        round_at: 'timestamptz',
      } as const),
      ...({ noted_rate: 'float8', changed_at: 'timestamptz' } as const),
    })}
    on conflict (destination, kind, identity) do update set rate = excluded.rate, limit_rate = excluded.limit_rate,
      confirmations = excluded.confirmations, connections = excluded.connections, complaints = excluded.complaints,
      taken = excluded.taken, deferred = excluded.deferred, reply = excluded.reply, class = excluded.class,
      cut_at = excluded.cut_at, rest_until = excluded.rest_until, round_at = excluded.round_at,
      noted_rate = excluded.noted_rate, changed_at = excluded.changed_at`)
}

const insertChange = (
  trx: Transaction,
  change: PaceUpdate & { cause: string; from: number | null; to: number | null },
) =>
  trx.query(sql.write`
    insert into pace_changes (id, at, destination, kind, identity, cause, from_rate, to_rate, reply, class)
    values (${newId(trx.clock)}, ${trx.clock.now()}, ${change.destination}, ${change.kind}, ${change.identity}, ${change.cause},
      ${change.from}, ${change.to}, ${change.reply ?? null}, ${change.class ?? null})`)

/** Controllers that nobody has told anything for long, and what became of rates. Returns whether there may be more. */
export async function deletePacesBefore(db: Queryable, { moment, limit }: Expired): Promise<boolean> {
  const changes = await db.query(sql.write`
    delete from pace_changes where id in (select id from pace_changes where at < ${moment} limit ${limit}) returning id`)
  const paces = await db.query(sql.write`
    delete from pace_controllers where (destination, kind, identity) in (
      select destination, kind, identity from pace_controllers where changed_at < ${moment} limit ${limit})
    returning destination`)
  return changes.length === limit || paces.length === limit
}
