import { expect, test, vi } from 'vitest'
import { watchArrivals } from '../harness/failover/arrivals.ts'
import { MISSING, startCluster } from '../harness/failover/cluster.ts'
import { startInstallation, WAYS, type Way } from '../harness/failover/installation.ts'
import { startLoad } from '../harness/failover/load.ts'
import { loopback, type Network, namespaces, whyNoNamespaces } from '../harness/failover/network.ts'
import {
  CUT_OFF,
  type Fault,
  FREEZE,
  KILL,
  type Round,
  SWITCH_OVER,
  suffer,
  WITHOUT_PATRONI,
} from '../harness/failover/rounds.ts'
import { startWrites } from '../harness/failover/writes.ts'
import { eventually } from '../harness/service.ts'

// The primary of PostgreSQL goes, under load, and another one takes its place. `npm run chaos -- failover` does it twenty times.
const ROUNDS = Number(process.env.POSTWREN_FAILOVERS ?? 0)

vi.setConfig({ testTimeout: 180_000 + ROUNDS * 150_000 })

/** Of recipients that may get a second copy in a round: what two processes have on the wire. */
const ON_THE_WIRE = 20

interface Plan {
  readonly faults: readonly Fault[]
  readonly ways: readonly Way[]
  networkOf(names: readonly string[]): Network | Promise<Network>
}

async function failOver({ faults, ways, networkOf }: Plan) {
  const cluster = await startCluster(networkOf)
  const installation = await startInstallation(cluster, ways)
  const { relay, receiver, readers } = installation
  const arrivals = watchArrivals(relay)
  const writes = await startWrites(cluster)
  const load = startLoad(installation, arrivals)
  const rounds: Round[] = []
  say(HEADER)
  for (const [number, fault] of faults.entries()) {
    const parts = { cluster, installation, load, arrivals }
    const round = await suffer(fault, `Broadcast ${number}`, parts).catch((error) => {
      for (const line of installation.warnings()) say(line)
      throw error
    })
    rounds.push(round)
    say(lineOf(number, round))
  }
  await load.stop()
  await writes.stop()

  const { acknowledged } = load
  const copies = faults.flatMap((_, number) => readers.map((reader) => `${reader} Broadcast ${number}`))
  const lost = () => {
    const arrived = arrivals.names()
    return [...acknowledged.map(({ to }) => to), ...copies].filter((name) => !arrived.has(name))
  }
  const untold = () => {
    const told = new Set(receiver.received.map(({ event }) => event.data.email_id))
    return acknowledged.filter(({ id }) => id !== null && !told.has(id)).map(({ to }) => to)
  }
  const stuck = () =>
    installation.ask("select recipient, holder, due_at from deliveries where state = 'waiting' limit 5")
  const isAllDone = async () => lost().length === 0 && untold().length === 0 && (await stuck()).length === 0
  await eventually(isAllDone, 60_000).catch(() => {})

  const seconds = arrivals.seconds()
  const wasOnTheWire = (at: number) =>
    rounds.some(({ beganAt, endedAt }) => at > beganAt - 1_000 && at < endedAt + 1_000)
  const doubled = seconds.filter(({ isOtherMessage }) => !isOtherMessage)
  for (const { name, firstAt, at } of doubled)
    say(`second copy: ${name}, ${((at - firstAt) / 1_000).toFixed(1)} s after the first`)
  say(
    `${acknowledged.length} emails and ${copies.length} copies of broadcasts acknowledged, ${receiver.received.length} webhooks, ` +
      `${writes.acknowledged} writes; ${lost().length} lost, ${doubled.length} doubled`,
  )
  return {
    rounds,
    doubled: doubled.length,
    verdict: {
      lost: lost(),
      untold: untold(),
      stuck: await stuck(),
      acceptedTwice: seconds.filter(({ isOtherMessage }) => isOtherMessage).map(({ name }) => name),
      doubledWithoutCause: doubled.filter(({ firstAt }) => !wasOnTheWire(firstAt)).map(({ name }) => name),
      toldUnderTwoIds: toldUnderTwoIds(receiver.received),
      ofFormerPrimaries: writes.ofFormerPrimaries(),
      lostWrites: await writes.lost(),
    },
  }
}

const NOTHING = {
  ...{ lost: [], untold: [], stuck: [], acceptedTwice: [], doubledWithoutCause: [], toldUnderTwoIds: [] },
  ...{ ofFormerPrimaries: [], lostWrites: [] },
}

function toldUnderTwoIds(received: readonly { id: string; event: { data: { email_id: string; to: string[] } } }[]) {
  const ids = new Map<string, string>()
  return received.flatMap(({ id, event: { data } }) => {
    const name = `${data.email_id} ${data.to}`
    const first = ids.get(name) ?? id
    ids.set(name, first)
    return first === id ? [] : [name]
  })
}

const say = (line: string) => void (ROUNDS > 0 && process.stdout.write(`${line}\n`))
const COLUMNS = ['api 0', 'api 1', 'smtp 0', 'smtp 1', 'delivery', 'back']
const HEADER = `round  fault       from → to   ${['api by URL', 'by proxy', 'smtp by URL', 'by proxy', 'delivery', 'rejoining'].map((name) => name.padStart(12)).join('')}`
const lineOf = (number: number, { fault, from, to, seconds }: Round) =>
  `${String(number + 1).padStart(5)}  ${fault.padEnd(10)}  ${from} → ${to}  ${COLUMNS.map((name) => `${seconds[name]!.toFixed(1)} s`.padStart(12)).join('')}`

if (MISSING.length > 0) process.stdout.write(`Failover is not tested: ${MISSING.join(', ')} is not installed.\n`)

if (ROUNDS === 0)
  test.skipIf(MISSING.length > 0)(
    'a primary that is killed or switched over loses nothing, and nothing is doubled but what was on the wire',
    async () => {
      const { verdict, doubled } = await failOver({ faults: [KILL, SWITCH_OVER], ways: ['url'], networkOf: loopback })

      expect(verdict).toEqual(NOTHING)
      expect(doubled).toBeLessThanOrEqual(2 * ON_THE_WIRE)
    },
  )
else
  test.skipIf(MISSING.length > 0)(`${ROUNDS} times another primary`, async () => {
    const obstacle = whyNoNamespaces()
    if (obstacle) say(`No server is cut off from the network: ${obstacle}.`)
    const kinds = [KILL, FREEZE, ...(obstacle ? [] : [CUT_OFF]), SWITCH_OVER, WITHOUT_PATRONI]
    const faults = Array.from({ length: ROUNDS }, (_, number) => kinds[number % kinds.length]!)

    const networkOf = obstacle ? loopback : namespaces
    const { verdict, doubled, rounds } = await failOver({ faults, ways: WAYS, networkOf })

    expect(verdict).toEqual(NOTHING)
    expect(doubled).toBeLessThanOrEqual(ROUNDS * ON_THE_WIRE)
    const timely = rounds.filter(({ fault }) => fault !== WITHOUT_PATRONI.name)
    const slowest = Math.max(0, ...timely.flatMap(({ seconds }) => Object.values(seconds)))
    expect(slowest).toBeLessThanOrEqual(30)
  })
