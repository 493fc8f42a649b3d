import { createTransport } from 'nodemailer'
import { Changes } from './changes.ts'
import { Longest } from './longest.ts'
import { call, type Reply, type Service } from './service.ts'

const READERS = ['r0', 'r1', 'r2', 'r3', 'r4'].map((name) => `${name}@sink.dev`)
const INBOX = 'desk@acme.dev'
/** A time that is over when the request is read is refused, and a busy machine may take a second for that. */
const FORWARD_MS = 5_000

/** What an application does with several processes behind one address. Remembers what was answered, so that it can be said what was lost. */
export class UpgradeLoad {
  /** One for each message to one recipient that has to arrive, and no other: `recipient subject`. */
  readonly expected = new Set<string>()
  /** Canceled in time. */
  readonly canceled = new Set<string>()
  /** Ids of single emails that were accepted and not canceled. */
  readonly ids = new Set<string>()
  /** Subjects of mail that was taken in. */
  readonly received = new Set<string>()
  /** What was refused, or not answered. */
  readonly failures: string[] = []
  readonly longest = new Longest()
  /** Who is asked, in turn. */
  #services: readonly Service[]
  readonly #inFlight = new Set<Promise<unknown>>()
  #segment = ''
  #turn = 0
  #work: Promise<unknown> = Promise.resolve()
  #isStopping = false
  readonly #changes = new Changes()

  constructor(services: readonly Service[]) {
    this.#services = services
  }

  /** Asks these from here on, and comes back when nobody waits for the others: what a proxy does before one is stopped. */
  async use(services: readonly Service[]) {
    this.#services = services
    await Promise.all(this.#inFlight)
  }

  /** Needs the domain acme.dev, which sends and receives. */
  async start() {
    this.#segment = (await this.#ask('POST', '/segments', { name: 'Readers' })).body.id
    for (const email of READERS) await this.#ask('POST', '/contacts', { email, segments: [{ id: this.#segment }] })
    await this.#ask('POST', '/inboxes', { email_address: INBOX })
    const loops = [this.#sendOne, this.#sendOne, this.#schedule, this.#broadcast, this.#receive]
    this.#work = Promise.all(loops.map((act, loop) => this.#repeat((number) => act.call(this, `${loop}-${number}`))))
  }

  /** Resolves once so many more were answered, of everything together. */
  async answered(count: number) {
    const goal = this.#turn + count
    await this.#changes.until(() => this.#turn >= goal, 80_000)
  }

  async stop() {
    this.#isStopping = true
    await this.#work
  }

  async #repeat(act: (number: number) => Promise<void>) {
    for (let number = 0; !this.#isStopping; number++) {
      await act(number)
      this.#changes.notify()
    }
  }

  #next(): Service {
    return this.#services[this.#turn++ % this.#services.length]!
  }

  async #timed<Answer>(what: string, work: () => Promise<Answer>): Promise<Answer | null> {
    const asked = this.longest.of(work).catch((error: Error) => {
      this.failures.push(`${what}: ${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`)
      return null
    })
    this.#inFlight.add(asked)
    const answer = await asked
    this.#inFlight.delete(asked)
    return answer
  }

  async #ask(method: string, path: string, body?: object): Promise<Reply> {
    const service = this.#next()
    const reply = await this.#timed(path, () => call(service, method, path, body))
    if (reply && reply.status >= 500) this.failures.push(`${method} ${path}: ${reply.status} ${reply.body.message}`)
    return reply ?? { status: 0, headers: new Headers(), body: {} }
  }

  async #send(to: string, more: object = {}): Promise<string | null> {
    const { status, body } = await this.#ask('POST', '/emails', {
      ...{ from: 'a@acme.dev', to, subject: 'Hello', text: 'Hello', ...more },
    })
    return status === 200 ? body.id : null
  }

  async #sendOne(name: string) {
    const to = `one${name}@sink.dev`
    const id = await this.#send(to)
    if (id === null) return
    this.ids.add(id)
    this.expected.add(`${to} Hello`)
  }

  /** For later, then canceled, or put forward; by whoever is asked next. */
  async #schedule(name: string) {
    const to = `later${name}@sink.dev`
    const id = await this.#send(to, { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() })
    if (id === null) return
    const isCanceled = name.endsWith('0') || name.endsWith('5')
    const { status } = isCanceled
      ? await this.#ask('POST', `/emails/${id}/cancel`)
      : await this.#ask('PATCH', `/emails/${id}`, { scheduled_at: new Date(Date.now() + FORWARD_MS).toISOString() })
    if (status !== 200) this.failures.push(`schedule of ${id}: ${status}`)
    if (isCanceled) this.canceled.add(`${to} Hello`)
    else {
      this.ids.add(id)
      this.expected.add(`${to} Hello`)
    }
  }

  async #broadcast(name: string) {
    const subject = `Broadcast ${name}`
    const mailing = { from: 'news@acme.dev', subject, text: 'Hello', send: true, segment_id: this.#segment }
    const { status } = await this.#ask('POST', '/broadcasts', mailing)
    if (status < 300 && status > 0) for (const reader of READERS) this.expected.add(`${reader} ${subject}`)
  }

  async #receive(name: string) {
    const port = this.#next().smtpPort
    const transport = createTransport({ host: '127.0.0.1', port, tls: { rejectUnauthorized: false } })
    const subject = `Arrival ${name}`
    const mail = { from: 'ada@elsewhere.example', to: INBOX, subject, text: 'Hi' }
    if (await this.#timed('SMTP', () => transport.sendMail(mail))) this.received.add(subject)
  }
}
