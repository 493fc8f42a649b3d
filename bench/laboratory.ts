import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { temporaryDataDir } from './database.ts'
import { benchEmail } from './email.ts'
import { calm, residentMiB } from './processes.ts'
import { progress } from './progress.ts'
import { mebibytes, median, printReport, type Row, seconds } from './report.ts'
import { API_KEY, type Service, startService } from './service.ts'

const SANDBOXES = 300
const WAITS = 200
const CONTACTS = 100
const STEPS = 200
const HELD = 1_000
/** A team may hold so many. */
const HELD_BY_ONE = 100
const ROUNDS = 3

const MAIL = benchEmail('shop@bench.dev')

/** A caller of the API with one key. Connections are kept: nobody measures how they are made. */
class Caller {
  readonly #url: string
  readonly #key: string
  readonly #dispatcher: Agent

  constructor(url: string, key: string, dispatcher = new Agent({ connections: 4, pipelining: 1 })) {
    this.#url = url
    this.#key = key
    this.#dispatcher = dispatcher
  }

  as = (key: string) => new Caller(this.#url, key, this.#dispatcher)

  // biome-ignore lint/suspicious/noExplicitAny: what each endpoint answers is in its schema
  async call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<any> {
    const answer = await request(`${this.#url}${path}`, {
      method,
      dispatcher: this.#dispatcher,
      headers: { authorization: `Bearer ${this.#key}`, ...(body && { 'content-type': 'application/json' }) },
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`)
    return JSON.parse(text)
  }

  async timed(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<number> {
    const begin = performance.now()
    await this.call(method, path, body)
    return performance.now() - begin
  }

  close = () => this.#dispatcher.close()
}

/** What a test waits for: its sandbox, its mail, and the days of a drip; and what those who wait take of memory. */
export async function laboratory({ isForMachines }: { isForMachines: boolean }) {
  const service = await startService(temporaryDataDir(), 'postwren serve')
  const owner = new Caller(service.url, API_KEY)
  const rows = [
    ...[await creationRow(owner), await waitRow(owner), await dripRow(owner), await stepsRow(owner)],
    await heldRow(service, owner),
  ]
  await owner.close()
  await service.stop()
  printReport(rows, isForMachines)
}

async function creationRow(owner: Caller): Promise<Row> {
  const measure = async (what: string, path: string, bodyOf: (number: number) => object) => {
    const times: number[] = []
    for (let number = 0; number < SANDBOXES; number++) {
      progress(`${what}, ${number + 1} of ${SANDBOXES}`)
      times.push(await owner.timed('POST', path, bodyOf(number)))
    }
    return median(times)
  }
  await measure('warming up', '/sandboxes', () => ({ expires_in: 1 }))
  await calm()
  const made = await measure('sandboxes', '/sandboxes', () => ({ expires_in: 60 }))
  const topic = await measure('topics', '/topics', (number) => ({ name: `Topic ${number}` }))
  return {
    what: 'POST /sandboxes, p50',
    ours: `${made.toFixed(2)} ms`,
    baseline: `${topic.toFixed(2)} ms (POST /topics)`,
    figure: made,
    unit: 'ms',
    wanted: 'at most',
    must: 5,
    dream: 2.5,
  }
}

const newSandbox = async (owner: Caller) => owner.as((await owner.call('POST', '/sandboxes')).api_key)

/** Somebody waits already when the mail is sent. */
async function waitRow(owner: Caller): Promise<Row> {
  const sandbox = await newSandbox(owner)
  const send = async (to: string) => {
    const waiting = sandbox.call('GET', `/messages/wait?to=${to}&timeout=20`)
    await delay(20)
    const begin = performance.now()
    const sent = await sandbox.timed('POST', '/emails', { ...MAIL, to })
    const { found } = await waiting
    if (!found) throw new Error('the mail was not found')
    return { sent, answered: performance.now() - begin }
  }
  for (let number = 0; number < WAITS / 2; number++) await send(`warm${number}@sink.dev`)
  await calm()
  const times: { sent: number; answered: number }[] = []
  for (let number = 0; number < WAITS; number++) {
    progress(`waiting for mail, ${number + 1} of ${WAITS}`)
    times.push(await send(`customer${number}@sink.dev`))
  }
  const [sent, answered] = [median(times.map(({ sent }) => sent)), median(times.map(({ answered }) => answered))]
  return {
    what: 'POST /emails until GET /messages/wait has answered, p50',
    ours: `${answered.toFixed(1)} ms`,
    baseline: `${sent.toFixed(1)} ms (POST /emails)`,
    figure: answered - sent,
    unit: 'ms',
    wanted: 'at most',
    must: 20,
    dream: 8,
  }
}

/** Four emails for each contact, with 3, 7 and 20 days between them. */
async function dripRow(owner: Caller): Promise<Row> {
  const times: number[] = []
  let steps = 0
  for (let round = 0; round <= ROUNDS; round++) {
    progress(`a drip of 30 days, round ${round} of ${ROUNDS}`)
    const sandbox = await newSandbox(owner)
    await addDrip(sandbox)
    for (let number = 0; number < CONTACTS; number++)
      await sandbox.call('POST', '/events/send', { event: 'bench.joined', email: `customer${number}@sink.dev` })
    await calm()
    const begin = performance.now()
    const clock = await sandbox.call('PATCH', '/clock', { advance: '30 days' })
    const taken = performance.now() - begin
    if (!clock.is_complete) throw new Error('30 days did not fit into one call')
    await requireEmails(sandbox, CONTACTS * 4)
    steps = clock.steps
    if (round > 0) times.push(taken)
  }
  return {
    what: `PATCH /clock {advance: "30 days"}: a drip of 4 emails for ${CONTACTS} contacts`,
    ours: `${seconds(median(times))}, ${steps} steps`,
    baseline: null,
    figure: median(times) / 1_000,
    unit: 's',
    wanted: 'at most',
    must: 2,
    dream: 1,
  }
}

/** Emails that are scheduled two hours apart: the clock stops at each of them until it is delivered. */
async function stepsRow(owner: Caller): Promise<Row> {
  const times: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    progress(`an advance of ${STEPS} steps, round ${round} of ${ROUNDS}`)
    const sandbox = await newSandbox(owner)
    await sandbox.call('PATCH', '/clock', { is_frozen: true })
    for (let number = 1; number <= STEPS; number++)
      await sandbox.call('POST', '/emails', { ...MAIL, scheduled_at: `in ${number * 2} hours` })
    await calm()
    const begin = performance.now()
    const { steps, is_complete } = await sandbox.call('PATCH', '/clock', { advance: `${STEPS * 2 + 1} hours` })
    const taken = performance.now() - begin
    if (!is_complete || steps !== STEPS) throw new Error(`${steps} steps, and not ${STEPS}`)
    if (round > 0) times.push(taken)
  }
  const hundred = (median(times) / STEPS) * 100
  return {
    what: `PATCH /clock: a hundred steps with an email each, of ${STEPS}`,
    ours: seconds(hundred),
    baseline: null,
    figure: hundred / 1_000,
    unit: 's',
    wanted: 'at most',
    must: 0.9,
    dream: 0.5,
  }
}

async function addDrip(sandbox: Caller) {
  const { from, subject, html, text } = MAIL
  const { id } = await sandbox.call('POST', '/templates', { name: 'Drip', from, subject, html, text })
  await sandbox.call('POST', `/templates/${id}/publish`)
  const send = (key: string) => ({ key, type: 'send_email', config: { template: { id } } })
  const pause = (key: string, duration: string) => ({ key, type: 'delay', config: { duration } })
  const steps = [
    { key: 'begin', type: 'trigger', config: { event_name: 'bench.joined' } },
    ...[send('day0'), pause('wait1', '3 days'), send('day3'), pause('wait2', '7 days'), send('day10')],
    ...[pause('wait3', '19 days'), send('day29')],
  ]
  const connections = steps.slice(1).map(({ key }, index) => ({ from: steps[index]!.key, to: key }))
  await sandbox.call('POST', '/automations', { name: 'Drip', status: 'enabled', steps, connections })
}

async function requireEmails(sandbox: Caller, expected: number) {
  let [count, after] = [0, '']
  for (;;) {
    const { data, has_more } = await sandbox.call('GET', `/emails?limit=100${after && `&after=${after}`}`)
    count += data.length
    if (!has_more) break
    after = data.at(-1).id
  }
  if (count !== expected) throw new Error(`${count} emails, and not ${expected}`)
}

async function heldRow(service: Service, owner: Caller): Promise<Row> {
  const sandbox = await newSandbox(owner)
  const dispatcher = new Agent({ connections: HELD, pipelining: 1 })
  const holders: Caller[] = []
  while (holders.length < HELD / HELD_BY_ONE)
    holders.push(new Caller(service.url, (await owner.call('POST', '/sandboxes')).api_key, dispatcher))
  const hold = (amount: number, timeout: number) =>
    Array.from({ length: amount }, (_, number) =>
      holders[number % holders.length]!.call('GET', `/messages/wait?to=nobody${number}@sink.dev&timeout=${timeout}`),
    )
  await Promise.all(hold(50, 0))
  await calm()
  const before = residentMiB(service.pid)
  const held = hold(HELD, 30)
  progress(`${HELD} held waits`)
  await delay(10_000)
  const grown = residentMiB(service.pid) - before
  // They are no burden on others.
  const beside: number[] = []
  for (let number = 0; number < WAITS; number++) beside.push(await sandbox.timed('POST', '/emails', MAIL))
  const answers = await Promise.all(held)
  if (answers.some(({ found }) => found)) throw new Error('somebody found what was not for them')
  await dispatcher.close()
  return {
    what: `${HELD.toLocaleString('en')} held waits`,
    ours: `${mebibytes(grown)}, ${((grown * 1_024) / HELD).toFixed(0)} KiB each; POST /emails ${median(beside).toFixed(1)} ms beside them`,
    baseline: null,
    figure: grown,
    unit: 'MiB',
    wanted: 'at most',
    must: 100,
    dream: 40,
  }
}
