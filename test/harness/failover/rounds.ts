import { eventually } from '../service.ts'
import type { Arrivals } from './arrivals.ts'
import type { Cluster } from './cluster.ts'
import type { Installation } from './installation.ts'
import type { startLoad } from './load.ts'
import type { Member } from './member.ts'

/** What happens to the primary, until another server is it. */
export interface Fault {
  readonly name: string
  strike(primary: Member, cluster: Cluster): Promise<void> | void
  /** Afterwards, when another server is the primary. */
  heal(former: Member): void
}

const nothing = () => {}

export const KILL: Fault = { name: 'kill -9', strike: (primary) => primary.killPostmaster(), heal: nothing }
export const FREEZE: Fault = {
  name: 'freeze',
  strike: (primary) => primary.freeze(),
  heal: (former) => former.thaw(),
}
export const CUT_OFF: Fault = {
  name: 'cut off',
  strike: (primary) => primary.place.cable!.unplug(),
  heal: (former) => former.place.cable!.plugIn(),
}
export const SWITCH_OVER: Fault = {
  name: 'switchover',
  strike: async (primary, cluster) => cluster.switchOver(primary, await cluster.standby()),
  heal: nothing,
}

/** The former primary goes on believing that it is one, and takes connections: nodes find out one by one. Slower than 30 s on a busy machine. */
export const WITHOUT_PATRONI: Fault = {
  name: 'no Patroni',
  strike: (primary) => primary.killPatroni(),
  heal: (former) => former.start(),
}

export interface Round {
  readonly fault: string
  readonly from: string
  readonly to: string
  readonly beganAt: number
  /** When mail was delivered again. */
  readonly endedAt: number
  /**
   * From the fault to the end of the longest pause, for each stream of the load, and for delivery. `back`: the longest pause of any of them
   * while the former primary comes back as a standby.
   */
  readonly seconds: Readonly<Record<string, number>>
}

interface Parts {
  readonly cluster: Cluster
  readonly installation: Installation
  readonly load: ReturnType<typeof startLoad>
  readonly arrivals: Arrivals
}

/** Longer than recovery may take, so that it can be said how long it took. */
const PATIENCE_MS = 90_000
const AFTERWARDS = 5

/** One fault in the middle of a broadcast. Ends when all goes on and the cluster is whole again. */
export async function suffer(fault: Fault, subject: string, parts: Parts): Promise<Round> {
  const { cluster, installation, load, arrivals } = parts
  await installation.broadcast(subject)
  await eventually(() => arrivals.ofBroadcast(subject) >= 10, PATIENCE_MS)
  const former = await cluster.primary()
  const beganAt = performance.now()
  await fault.strike(former, cluster)
  await eventually(async () => {
    const primary = await cluster.primary()
    return primary !== undefined && primary !== former
  }, PATIENCE_MS)
  const changedAt = performance.now()
  const goOn = () =>
    load.streams.every(({ acknowledged }) => (acknowledged.at(-AFTERWARDS)?.at ?? 0) > changedAt) &&
    (arrivals.times.at(-AFTERWARDS) ?? 0) > changedAt
  await eventually(goOn, PATIENCE_MS)
  const healedAt = performance.now()
  fault.heal(former)
  await cluster.whole()
  await installation.allReady()
  const times: Record<string, readonly number[]> = { delivery: arrivals.times }
  for (const { name, acknowledged } of load.streams) times[name] = acknowledged.map(({ at }) => at)
  const seconds: Record<string, number> = {}
  let back = 0
  for (const [name, all] of Object.entries(times)) {
    const during = longestPause(all, { from: beganAt, to: healedAt })
    seconds[name] = (during.end - beganAt) / 1_000
    back = Math.max(back, longestPause(all, { from: healedAt, to: performance.now() }).seconds)
  }
  seconds.back = back
  const endedAt = beganAt + seconds.delivery! * 1_000
  return { fault: fault.name, from: former.name, to: (await cluster.primary()).name, beganAt, endedAt, seconds }
}

/** The longest time in which nothing happened, and when it ended. */
function longestPause(times: readonly number[], { from, to }: { from: number; to: number }) {
  let [last, longest] = [from, { seconds: 0, end: from }]
  for (const at of times.filter((one) => one > from && one <= to)) {
    if (at - last > longest.seconds * 1_000) longest = { seconds: (at - last) / 1_000, end: at }
    last = at
  }
  return longest
}
