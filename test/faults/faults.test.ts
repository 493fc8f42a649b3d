import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { starveMachine } from '../harness/busy-loops.ts'
import { arrivalOf, startOtherLoad } from '../harness/chaos-load.ts'
import { type Chosen, DatabaseProxy } from '../harness/database-proxy.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { byteByByte, type ReceivedMail } from '../harness/mail-conversation.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { type PostgresServer, startPostgresServer } from '../harness/postgres-server.ts'
import { seededRandom } from '../harness/random.ts'
import { relaying } from '../harness/relaying.ts'
import { startSending } from '../harness/sending.ts'
import { eventually, Service } from '../harness/service.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

// What happens to a machine, its network and its database, to one of two nodes or to both, under load. `npm run chaos` does a thousand.
const FAULTS = Number(process.env.POSTWREN_FAULTS ?? 0)

vi.setConfig({ testTimeout: 120_000 + FAULTS * 30_000 })

/** A process that delivers and does jobs, and what stands between it and its database. */
class Node {
  readonly proxy: DatabaseProxy
  readonly #settings: Record<string, string>
  service!: Service

  constructor(proxy: DatabaseProxy, settings: Record<string, string>) {
    this.proxy = proxy
    this.#settings = settings
  }

  async start() {
    this.service = await Service.start({
      settings: { ...this.#settings, POSTWREN_ROLES: 'delivery,jobs', POSTWREN_DATABASE_URL: this.proxy.url },
    })
  }

  async isHealthy(): Promise<boolean> {
    return (await fetch(`${this.service.url}/health`)).status === 200
  }
}

interface World {
  readonly nodes: readonly Node[]
  readonly postgres: PostgresServer
  /** The numbers of the processes that have a row in `nodes`. */
  present(): Promise<readonly number[]>
  /** To the others it seems to run on another machine, where nobody can see whether it does. */
  moveElsewhere(node: Node): Promise<void>
  /** So many more emails were accepted. */
  accept(count: number): Promise<void>
}

interface Fault {
  readonly name: string
  /** No process ends or stands still, so nobody may be called dead. */
  readonly isAlive?: true
  /** How many recipients may get a second copy: what was on the wire, or had been answered in the last half second. */
  readonly doubles: number
  /** Only among a thousand. */
  readonly isForChaos?: true
  strike(node: Node, world: World): Promise<void>
}

const ON_THE_WIRE = 10
const NOT_WRITTEN_DOWN = 100

const ofPresence: Chosen = ({ applicationName }) => applicationName.startsWith('postwren presence')

async function cutOff(node: Node, world: World, cut: (proxy: DatabaseProxy) => void) {
  await world.moveElsewhere(node)
  await untilCalledDead(
    world,
    () => cut(node.proxy),
    () => node.proxy.thaw(),
  )
}

async function untilCalledDead(world: World, begin: () => void, end: () => void) {
  const { length: before } = await world.present()
  begin()
  await eventually(async () => (await world.present()).length < before)
  await world.accept(20)
  end()
  await eventually(async () => (await world.present()).length >= before)
}

const FAULT_KINDS: readonly Fault[] = [
  {
    name: 'the connection of the beats is forgotten',
    doubles: 0,
    strike: async ({ proxy }) => proxy.drop({ tellClient: false, chosen: ofPresence }),
  },
  {
    name: 'all connections are forgotten',
    doubles: 0,
    strike: async ({ proxy }) => proxy.drop({ tellClient: false }),
  },
  {
    name: 'all connections are cut',
    isForChaos: true,
    doubles: 0,
    strike: async ({ proxy }) => proxy.drop({ tellClient: true }),
  },
  {
    name: 'the network stands still for a moment',
    isForChaos: true,
    doubles: 0,
    async strike({ proxy }, world) {
      proxy.freeze()
      await world.accept(10)
      proxy.thaw()
    },
  },
  {
    name: 'the network stands still until the node is called dead',
    doubles: ON_THE_WIRE + NOT_WRITTEN_DOWN,
    strike: (node, world) => cutOff(node, world, (proxy) => proxy.freeze()),
  },
  {
    name: 'answers are lost until the node is called dead',
    isForChaos: true,
    doubles: ON_THE_WIRE + NOT_WRITTEN_DOWN,
    strike: (node, world) => cutOff(node, world, (proxy) => proxy.mute()),
  },
  {
    name: 'the database is silent for both',
    doubles: 0,
    async strike(_node, { nodes }) {
      for (const { proxy } of nodes) proxy.freeze()
      for (const one of nodes) await eventually(async () => !(await one.isHealthy()))
      for (const { proxy } of nodes) proxy.thaw()
    },
  },
  {
    name: 'the process is killed',
    doubles: ON_THE_WIRE,
    async strike(node) {
      await node.service.kill()
      await node.start()
    },
  },
  {
    name: 'the process is frozen until it is called dead',
    isForChaos: true,
    doubles: ON_THE_WIRE + NOT_WRITTEN_DOWN,
    strike: ({ service }, world) =>
      untilCalledDead(
        world,
        () => service.signal('SIGSTOP'),
        () => service.signal('SIGCONT'),
      ),
  },
  {
    name: 'the machine is starved',
    isForChaos: true,
    isAlive: true,
    doubles: 0,
    async strike(_node, world) {
      const stop = starveMachine()
      await world.accept(60)
      await stop()
    },
  },
  {
    name: 'the process is stopped',
    doubles: 0,
    async strike(node) {
      await node.service.stop()
      await node.start()
    },
  },
  {
    name: 'the database is killed',
    isForChaos: true,
    doubles: 0,
    async strike(_node, { postgres }) {
      await postgres.kill()
      await postgres.start()
    },
  },
]

async function startWorld() {
  const [postgres, dns] = [await startPostgresServer(), await startDnsServer()]
  // Each message takes its time, so that there is always something on the wire.
  const relay = await startMailServer({
    react: ({ step }) => (step === 'MESSAGE' ? byteByByte('250 2.0.0 Ok', 2) : undefined),
  })
  const settings = {
    POSTWREN_RATE_LIMIT: '0',
    ...relaying(relay, dns),
    POSTWREN_API_KEY: 're_a_key_for_the_fault_tests',
    POSTWREN_SECRET_KEY: '5'.repeat(64),
  }
  const api = await Service.start({
    settings: { ...settings, POSTWREN_ROLES: 'api,smtp', POSTWREN_DATABASE_URL: postgres.url },
  })
  const nodes = [
    new Node(await DatabaseProxy.start(postgres.url), settings),
    new Node(await DatabaseProxy.start(postgres.url), settings),
  ]
  for (const node of nodes) await node.start()
  await verifiedDomain(api, dns, 'acme.dev', { capabilities: { sending: 'enabled', receiving: 'enabled' } })
  const others = await startOtherLoad(api)
  const sending = startSending(() => api)
  onTestFinished(() => sending.stop())
  const ask = async <Row>(text: string): Promise<Row[]> => {
    const client = new pg.Client(postgres.url)
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  const present = async () => (await ask<{ id: number }>('select id from nodes order by id')).map(({ id }) => id)
  await eventually(async () => (await present()).length === 3)
  const moveElsewhere = async ({ service: { pid } }: Node) => {
    await ask(`update nodes set machine = 'elsewhere' where pid = ${pid}`)
  }
  const world: World = { nodes, postgres, present, moveElsewhere, accept: (count) => sending.accept(count) }
  return { world, relay, sending, others, ask }
}

async function suffer(faults: readonly Fault[], choose: (count: number) => number) {
  const { world, relay, sending, others, ask } = await startWorld()
  let allowed = 0
  let calledDead = 0
  /** How much had arrived when each of them struck. */
  const began: number[] = []
  for (const [number, fault] of faults.entries()) {
    await sending.accept(20)
    const victim = world.nodes[choose(world.nodes.length)]!
    if (FAULTS > 0) process.stdout.write(`${number + 1} of ${faults.length}: ${fault.name}\n`)
    const before = await world.present()
    began.push(relay.messages.length)
    await Promise.all([fault.strike(victim, world), others.round()])
    for (const node of world.nodes) await eventually(() => node.isHealthy())
    allowed += fault.doubles
    const after = new Set(await world.present())
    if (fault.isAlive) calledDead += before.filter((id) => !after.has(id)).length
  }
  await sending.accept(20)
  await sending.stop()
  const arrivals = () => relay.messages.flatMap(({ to, bytes }) => to.map((one) => arrivalOf(one, bytes)))
  const { automations, broadcasts, inbox } = others.accepted
  const lost = () => {
    const arrived = new Set(arrivals())
    return [...sending.accepted, ...automations, ...broadcasts].filter((one) => !arrived.has(one))
  }
  const filed = async () => {
    const rows = await ask<{ subject: string }>("select subject from inbox_messages where direction = 'inbound'")
    return rows.map(({ subject }) => subject)
  }
  const unfiled = async () => {
    const found = new Set(await filed())
    return [...inbox].filter((subject) => !found.has(subject))
  }
  const stuck = () => ask<object>("select recipient, holder, due_at from deliveries where state = 'waiting' limit 5")
  const isAllDone = async () => lost().length === 0 && (await stuck()).length === 0 && (await unfiled()).length === 0
  await eventually(isAllDone, 60_000).catch(() => {})
  const doubled = arrivals().length - new Set(arrivals()).size
  const unexplained = doubledWithoutCause(relay.messages, began, faults)
  const filedTwice = (await filed()).length - new Set(await filed()).size
  const result = {
    accepted: {
      ...{ emails: sending.accepted.size, runs: automations.size, broadcasts: broadcasts.size, arrivals: inbox.size },
    },
    ...{
      lost: [...lost(), ...(await unfiled())],
      stuck: await stuck(),
      doubled,
      allowed,
      unexplained,
      filedTwice,
      calledDead,
    },
  }
  if (FAULTS > 0) process.stdout.write(`${JSON.stringify(result)}\n`)
  return result
}

/**
 * Who got a second copy although no node died or stood still when the first one arrived: only then is an answer not written down. The
 * second copy may come much later, behind all that the node which takes over has in hand.
 */
function doubledWithoutCause(
  messages: readonly ReceivedMail[],
  began: readonly number[],
  faults: readonly Fault[],
): string[] {
  const firstArrivals = new Map<string, number>()
  const doubled: string[] = []
  for (const [index, { to, bytes }] of messages.entries())
    for (const one of to.map((recipient) => arrivalOf(recipient, bytes))) {
      const first = firstArrivals.get(one)
      firstArrivals.set(one, first ?? index)
      if (first === undefined) continue
      const fault = began.findLastIndex((count) => count <= first)
      // What arrived a moment before a fault may be on its way to the ledger when it strikes.
      const isExplained = [fault, fault + 1].some((at) => (faults[at]?.doubles ?? 0) > 0)
      if (!isExplained) doubled.push(one)
    }
  return doubled
}

if (FAULTS === 0) {
  const some = FAULT_KINDS.filter(({ isForChaos }) => !isForChaos)
  const harmless = some.filter(({ doubles }) => doubles === 0)
  const harmful = some.filter(({ doubles }) => doubles > 0)

  test('what nobody needs to notice loses nothing, doubles nothing, and leaves nothing behind', async () => {
    const { below } = seededRandom()

    const { lost, stuck, doubled } = await suffer(harmless, below)

    expect({ lost, stuck, doubled }).toEqual({ lost: [], stuck: [], doubled: 0 })
  })

  test('a node that is killed or called dead loses nothing, and doubles only what was on the wire', async () => {
    const { below } = seededRandom()

    const { lost, stuck, doubled, allowed } = await suffer(harmful, below)

    expect({ lost, stuck }).toEqual({ lost: [], stuck: [] })
    expect(doubled).toBeLessThanOrEqual(allowed)
  })
} else {
  test(`${FAULTS} faults at random`, async () => {
    const { below } = seededRandom()
    // Each kind once before any comes again.
    const faults: Fault[] = []
    let left: Fault[] = []
    while (faults.length < FAULTS) {
      if (left.length === 0) left = [...FAULT_KINDS]
      faults.push(...left.splice(below(left.length), 1))
    }

    const { doubled, allowed, lost, stuck, unexplained, filedTwice, calledDead } = await suffer(faults, below)

    expect({ lost, stuck, unexplained, filedTwice, calledDead }).toEqual({
      ...{ lost: [], stuck: [], unexplained: [], filedTwice: 0, calledDead: 0 },
    })
    expect(doubled).toBeLessThanOrEqual(allowed)
  })
}
