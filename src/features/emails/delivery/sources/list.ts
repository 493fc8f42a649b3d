import type { Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { watchesOfNodes } from '../../../../kernel/db/nodes.ts'
import { PROVIDERS } from '../../../../mail/providers/providers.ts'
import type { Source, SourceSettings } from '../../../../mail/sources/sources.ts'
import { sourceIdentity } from '../pace/identity.ts'
import { findPauses } from '../pace/pause-store.ts'
import { channelOf } from './source-names.ts'
import { allowanceOf, dayOf, onDay } from './warm-up.ts'
import { findWarmUps, type KeptWarmUp, tellWarmUpsWithin, WARM_UPS_CHANNEL, type WarmUpKey } from './warm-up-store.ts'

/** How far the warm-up of a source or a sending domain is at a provider. */
export interface ListedWarmUp {
  readonly provider: string
  /** Sending days that went well. */
  readonly day: number
  /** Of today, all processes together. Null: it is finished, and nobody counts. */
  readonly sentToday: number | null
  readonly allowance: number | null
  readonly deferredToday: number
  readonly isBlocked: boolean
  readonly isFinished: boolean
}

export interface ListedSource {
  readonly name: string
  /** As the file has it. */
  readonly address: string
  readonly ehlo: string
  readonly pools: readonly { readonly name: string; readonly weight: number }[]
  /** How many running processes have its address. */
  readonly processes: number
  readonly warmsUp: boolean
  readonly warmUps: readonly ListedWarmUp[]
  readonly pauses: readonly { readonly destination: string; readonly pausedUntil: Date; readonly reply: string }[]
}

export interface ListedDomain {
  readonly domain: string
  readonly warmUps: readonly ListedWarmUp[]
}

/** Each source of the file, with what providers think of it. */
export async function listSources(db: Queryable, settings: SourceSettings): Promise<ListedSource[]> {
  const [warmUps, pauses, nodes] = [
    await findWarmUps(db),
    await findPauses(db, db.clock.now()),
    await db.query<{ watches: string[] }>(watchesOfNodes()),
  ]
  const now = db.clock.now()
  return settings.sources.map((source) => {
    const { name, addresses, ehlo, warmUp } = source
    const identity = sourceIdentity(addresses)
    const isOwn = (pause: (typeof pauses)[number]) =>
      pause.pausedUntil > now &&
      (pause.kind === 'source' || pause.kind === 'netblock') &&
      pause.identity === identity[pause.kind]
    return {
      name,
      address: identity.source,
      ehlo,
      pools: poolsOf(settings, source),
      processes: nodes.filter(({ watches }) => watches.includes(channelOf(name))).length,
      warmsUp: warmUp,
      warmUps: warmUp ? listedOf(warmUps, { kind: 'source', identity: name }, dayOf(now)) : [],
      pauses: pauses.filter(isOwn).map(({ destination, pausedUntil, reply }) => ({ destination, pausedUntil, reply })),
    }
  })
}

/** The sending domains that are warmed up. */
export async function listWarmUpsOfDomains(db: Queryable): Promise<ListedDomain[]> {
  const warmUps = await findWarmUps(db)
  const domains = new Set(warmUps.flatMap(({ kind, identity }) => (kind === 'domain' ? [identity] : [])))
  const today = dayOf(db.clock.now())
  return [...domains].map((domain) => ({
    domain,
    warmUps: listedOf(warmUps, { kind: 'domain', identity: domain }, today),
  }))
}

const poolsOf = ({ pools }: SourceSettings, { name }: Source) =>
  pools.flatMap((pool) =>
    pool.members.filter(({ source }) => source === name).map(({ weight }) => ({ name: pool.name, weight })),
  )

function listedOf(all: readonly KeptWarmUp[], of: Omit<WarmUpKey, 'provider'>, today: number): ListedWarmUp[] {
  return all
    .filter(({ kind, identity }) => kind === of.kind && identity === of.identity)
    .map(({ provider, state: kept }) => {
      const state = onDay(kept, today)
      return {
        provider,
        day: state.step,
        sentToday: state.isFinished ? null : state.leased,
        allowance: allowanceOf(state),
        deferredToday: state.deferred,
        isBlocked: state.isBlocked,
        isFinished: state.isFinished,
      }
    })
}

/** Begins the warm-up anew, or ends it: at one provider, or at all. The caller writes it into the audit log, in the same transaction. */
export async function steerWarmUp(
  trx: Transaction,
  { kind, identity, provider }: Omit<WarmUpKey, 'provider'> & { readonly provider: string | null },
  event: 'restarted' | 'finished',
) {
  const providers = provider === null ? PROVIDERS.map(({ name }) => name) : [provider]
  await tellWarmUpsWithin(
    trx,
    providers.map((name) => ({ kind, identity, provider: name, events: [{ kind: event }] })),
  )
  trx.announce(WARM_UPS_CHANNEL)
}
