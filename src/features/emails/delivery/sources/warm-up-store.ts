import type { Database, Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { rowsOf } from '../../../../kernel/db/rows.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import { hours } from '../../../../kernel/jobs/job.ts'
import type { Expired } from '../../../../kernel/jobs/retention.ts'
import { dayOf, nextWarmUp, SILENT_DAYS, type WarmUp, type WarmUpEvent } from './warm-up.ts'

export type WarmUpKind = 'source' | 'domain'

/** Who a provider does not know yet. */
export interface WarmUpKey {
  readonly kind: WarmUpKind
  /** The name of the source, or the sending domain. */
  readonly identity: string
  readonly provider: string
}

/** What happened to one of them, in its order. */
export interface WarmUpNews extends WarmUpKey {
  readonly events: readonly WarmUpEvent[]
}

export type KeptWarmUp = WarmUpKey & { readonly state: WarmUp }

/** Announced by whoever changes one by hand. */
export const WARM_UPS_CHANNEL = 'delivery-warm-ups'
/** Whoever was silent for so long begins again, as if there had been none. */
export const KEEP_WARM_UPS_SECONDS = (SILENT_DAYS + 2) * hours(24)
const MAX_WARM_UPS = 10_000

interface Row extends WarmUpKey, WarmUp {}

const dayIn = (column: Sql) => sql`(${column} - date '1970-01-01')`
const COLUMNS = sql`
  kind, identity, provider, step, ${dayIn(sql`day`)} as day, leased, taken, deferred, is_blocked as "isBlocked",
  ${dayIn(sql`last_sent_on`)} as "lastSentOn", is_finished as "isFinished"`

const keptOf = ({ kind, identity, provider, ...state }: Row): KeptWarmUp => ({ kind, identity, provider, state })

export async function findWarmUps(db: Queryable): Promise<KeptWarmUp[]> {
  const rows = await db.query<Row>(
    sql`select ${COLUMNS} from warm_ups order by kind, identity, provider limit ${MAX_WARM_UPS}`,
  )
  return rows.map(keptOf)
}

/** What became of one, and how much of what was wanted may be sent. */
export type GrantedWarmUp = KeptWarmUp & { readonly granted: number }

/** Tells what nodes have heard and want, each under the lock of its row: the allowance is one for all nodes. In the order of the news. */
export const tellWarmUps = (db: Database, news: readonly WarmUpNews[]): Promise<GrantedWarmUp[]> =>
  db.transaction((trx) => tellWarmUpsWithin(trx, news))

export async function tellWarmUpsWithin(trx: Transaction, news: readonly WarmUpNews[]): Promise<GrantedWarmUp[]> {
  if (news.length === 0) return []
  const today = dayOf(trx.clock.now())
  const keys = rowsOf(
    news.map(({ kind, identity, provider }) => ({ kind: kind as string, identity, provider })),
    { kind: 'text', identity: 'text', provider: 'text' },
    'given',
  )
  // One that is not there cannot be locked. In an order, so that two nodes do not wait for each other.
  await trx.query(sql.write`
    insert into warm_ups (kind, identity, provider, step, day, leased, taken, deferred, is_blocked, last_sent_on, is_finished)
    select kind, identity, provider, 0, date '1970-01-01' + ${today}::int, 0, 0, 0, false, null, false from ${keys}
    order by kind, identity, provider
    on conflict (kind, identity, provider) do nothing`)
  const rows = await trx.query<Row>(sql`
    select ${COLUMNS} from warm_ups where (kind, identity, provider) in (select kind, identity, provider from ${keys})
    order by kind, identity, provider for update`)
  const states = new Map(rows.map((row) => [keyText(row), keptOf(row).state]))
  const told = news.map((one) => {
    let granted = 0
    for (const event of one.events) {
      const next = nextWarmUp(states.get(keyText(one))!, event, today)
      states.set(keyText(one), next.state)
      granted += next.granted
    }
    const { kind, identity, provider } = one
    return { kind, identity, provider, granted, state: states.get(keyText(one))! }
  })
  const before = new Map(rows.map((row) => [keyText(row), row]))
  await write(
    trx,
    told.filter((one) => !isSame(one.state, before.get(keyText(one))!)),
  )
  return told
}

export const keyText = ({ kind, identity, provider }: WarmUpKey) => `${kind} ${identity} ${provider}`

const isSame = (one: WarmUp, other: WarmUp) =>
  (Object.keys(one) as (keyof WarmUp)[]).every((key) => one[key] === other[key])

async function write(trx: Transaction, warmUps: readonly KeptWarmUp[]) {
  if (warmUps.length === 0) return
  const written = warmUps.map(({ kind, identity, provider, state }) => ({
    kind: kind as string,
    identity,
    provider,
    ...state,
  }))
  await trx.query(sql.write`
    update warm_ups w set step = new.step, day = date '1970-01-01' + new.day, leased = new.leased, taken = new.taken,
      deferred = new.deferred, is_blocked = new."isBlocked", last_sent_on = date '1970-01-01' + new."lastSentOn",
      is_finished = new."isFinished"
    from ${rowsOf(
      written,
      {
        kind: 'text',
        identity: 'text',
        provider: 'text',
        step: 'int',
        day: 'int',
        leased: 'int',
        taken: 'int',
        deferred: 'int',
        isBlocked: 'boolean',
        lastSentOn: 'int',
        isFinished: 'boolean',
      },
      'new',
    )}
    where w.kind = new.kind and w.identity = new.identity and w.provider = new.provider`)
}

/** Deletes some of those that nobody has sent anything of since, and returns whether there may be more. */
export async function deleteWarmUpsBefore(db: Queryable, { moment, limit }: Expired): Promise<boolean> {
  const deleted = await db.query(sql.write`
    delete from warm_ups where (kind, identity, provider) in (
      select kind, identity, provider from warm_ups where day < (${moment}::timestamptz at time zone 'UTC')::date limit ${limit})
    returning provider`)
  return deleted.length === limit
}
