import type { BlobStore } from '../../../adapters/blobs/blob-store.ts'
import { noteBlobs } from '../../../kernel/blobs/loose-blobs.ts'
import { type Database, pooled, type Transaction } from '../../../kernel/db/database.ts'
import { jobsChannelOf } from '../../../kernel/jobs/queries.ts'
import type { FreshJob, TakesJobs } from '../../../kernel/jobs/straight-through.ts'
import type { Sealer } from '../../../kernel/secrets.ts'
import { MAX_REPORT_MAIL_BYTES } from '../../../mail/domain-reports/limits.ts'
import type { HeaderFields } from '../../../mail/parsed.ts'
import type { ReportedTo } from '../../../mail/return-path.ts'
import { readSystemMark, SYSTEM_MAIL } from '../../../mail/system-mark.ts'
import type { Clock } from '../../../platform/clock.ts'
import { Batcher } from '../../../platform/concurrency/batcher.ts'
import { newId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/observability/log.ts'
import type { Metrics } from '../../../platform/observability/metrics.ts'
import { tracing } from '../../../platform/observability/tracing.ts'
import { lockBalances } from '../../limits/quota.ts'
import type { TeamStates } from '../../limits/team-states.ts'
import { dayOf, together, UsageSlots } from '../../limits/usage.ts'
import type { Arrival, Mailbox, NewDomainReport, NewReceived, NewReport } from './arrival.ts'
import { readHeaderInWorker } from './parser-pool.ts'
import {
  insertArrivals,
  justReceived,
  READ_DOMAIN_REPORT,
  READ_RECEIVED,
  READ_REPORT,
  type ReadPayload,
} from './queries.ts'

/** A recipient of the envelope, and whom it leads to. */
export interface Addressed {
  readonly address: string
  readonly mailbox: Mailbox
}

interface IntakeParts {
  readonly db: Database
  readonly clock: Clock
  readonly blobs: BlobStore
  readonly teamStates: TeamStates
  readonly log: Log
  readonly metrics: Metrics
  readonly sealer: Sealer
  readonly straightJobs: TakesJobs
}

interface Intaken {
  readonly received: readonly NewReceived[]
  readonly reports: readonly NewReport[]
  readonly domainReports: readonly NewDomainReport[]
}

const LIMITS = { maxItems: 50, maxWrites: 2 }

/** Larger ones go to the blob store, each with a flush of its own: they are few, and would make a commit long for the others. */
const MAX_ROW_BYTES = 256 * 1024

/** A report says what it has to say at its beginning; behind it comes the mail that it is about. */
const MAX_REPORT_BYTES = 256 * 1024

/**
 * Takes messages in: durable when the promise resolves. Messages that arrive while a write is under way share the next commit,
 * and each leaves a job behind that reads it.
 */
export class Intake {
  readonly #db: Database
  readonly #clock: Clock
  readonly #blobs: BlobStore
  readonly #teamStates: TeamStates
  readonly #log: Log
  readonly #metrics: Metrics
  readonly #systemSecrets: readonly Buffer[]
  readonly #slots: UsageSlots
  readonly #straightJobs: TakesJobs
  readonly #batcher: Batcher<Intaken, true>

  constructor(parts: IntakeParts) {
    const { db, clock, blobs, teamStates, log, metrics, sealer, straightJobs } = parts
    this.#db = db
    this.#clock = clock
    this.#blobs = blobs
    this.#teamStates = teamStates
    this.#log = log
    this.#metrics = metrics
    this.#systemSecrets = sealer.deriveKeys(SYSTEM_MAIL)
    this.#slots = new UsageSlots(clock)
    this.#straightJobs = straightJobs
    this.#batcher = new Batcher(async (items) => {
      const received = items.flatMap((item) => item.received)
      const reports = items.flatMap((item) => item.reports)
      const domainReports = items.flatMap((item) => item.domainReports)
      const intaken = { received, reports, domainReports }
      const isBegun = await this.#insert(intaken)
      if (!isBegun) for (const channel of channelsOf(intaken)) db.signals.announce(channel)
      return items.map(() => true)
    }, LIMITS)
  }

  /**
   * One message for each team among the mailboxes, and one report for each signed address. All of it is taken or nothing: null when one of the
   * teams has received as much as it may.
   */
  async take(arrival: Arrival, mailboxes: readonly Addressed[]): Promise<string[] | null> {
    const intaken = await this.#ready(arrival, mailboxes)
    if (!this.#isLimited(intaken)) await this.#batcher.add(intaken)
    else if (!(await this.#takeWithinLimit(intaken))) return null
    return intaken.received.map(({ id }) => id)
  }

  /** The same, in the transaction of its cause. */
  async takeIn(trx: Transaction, arrival: Arrival, mailboxes: readonly Addressed[]): Promise<boolean> {
    const intaken = await this.#ready(arrival, mailboxes)
    const isTaken = await this.#slots.use((slot) => insertWithinLimit(trx, intaken, slot))
    if (isTaken) for (const channel of channelsOf(intaken)) trx.announce(channel)
    return isTaken
  }

  /** True: all of its jobs run here, and nobody has to look for them. */
  async #insert(intaken: Intaken): Promise<boolean> {
    const { received, reports, domainReports } = intaken
    const now = this.#clock.now()
    return this.#slots.use(async (slot) => {
      const handOver = this.#straightJobs.reserve(
        READ_RECEIVED,
        received.map((one) => freshJob(one, now)),
      )
      try {
        await insertArrivals(pooled(this.#db), intaken, { uses: usesOf(received), slot, now, handOver })
      } catch (error) {
        handOver?.failed(error)
        throw error
      }
      handOver?.committed()
      return handOver?.isForAll === true && reports.length === 0 && domainReports.length === 0
    })
  }

  async #ready(arrival: Arrival, mailboxes: readonly Addressed[]): Promise<Intaken> {
    const addressesOf = new Map<string, string[]>()
    const returned = new Map<string, ReportedTo>()
    const domains = new Map<string, Pick<NewDomainReport, 'team' | 'domainId' | 'about'>>()
    for (const { address, mailbox } of mailboxes) {
      if (mailbox.kind === 'report') returned.set(`${mailbox.by} ${mailbox.emailId} ${mailbox.position}`, mailbox)
      else if (mailbox.kind === 'domain-report') domains.set(`${mailbox.about} ${mailbox.domainId}`, mailbox)
      else addressesOf.set(mailbox.team, [...(addressesOf.get(mailbox.team) ?? []), address])
    }
    const trace = tracing?.active?.context
    await this.#db.forTeams(addressesOf.keys())
    const fields = await readHeaderInWorker(arrival.raw)
    if (addressesOf.size > 0 && this.#isWithheld(fields, [...addressesOf.keys()])) addressesOf.clear()
    const received = await Promise.all(
      [...addressesOf].map(async ([team, receivedFor]): Promise<NewReceived> => {
        const clock = this.#clock.of(team)
        const createdAt = clock.now()
        const id = newId(clock, createdAt)
        return {
          ...arrival,
          team,
          id,
          receivedFor,
          fields,
          createdAt,
          jobId: newId(this.#clock),
          rawBlob: await this.#storeIfLarge(arrival, team, id),
          ...(trace && { trace }),
        }
      }),
    )
    const raw = arrival.raw.subarray(0, MAX_REPORT_BYTES)
    const reports = [...returned.values()].map(({ by, emailId, position }) => ({
      ...{ id: newId(this.#clock), by, emailId, position },
      raw,
    }))
    return { received, reports, domainReports: this.#domainReports(arrival, [...domains.values()]) }
  }

  /** What is too large for a report is accepted, since its sender would only try again, and not kept. */
  #domainReports(arrival: Arrival, domains: readonly Pick<NewDomainReport, 'team' | 'domainId' | 'about'>[]) {
    if (arrival.raw.length <= MAX_REPORT_MAIL_BYTES)
      return domains.map(({ team, domainId, about }) => ({ ...arrival, id: newId(this.#clock), team, domainId, about }))
    for (const { about, domainId } of domains) {
      this.#metrics.countDomainReport(about, 'unreadable')
      this.#log.info(
        { domain: domainId, kind: about, bytes: arrival.raw.length },
        'inbound: report about a domain is too large',
      )
    }
    return []
  }

  /**
   * Mail of the installation itself has links for one person alone, and what a team receives others read: keys, programs, agents, hooks.
   * So none of it is kept. It is known by what was signed when it was accepted, whatever state its delivery is in.
   */
  #isWithheld({ headers }: HeaderFields, teams: readonly string[]): boolean {
    const system = readSystemMark(headers, this.#systemSecrets)
    if (!system) return false
    this.#metrics.countMessage('withheld')
    this.#log.warn({ email: system.emailId, teams }, 'inbound: withheld system mail from a team')
    return true
  }

  #isLimited({ received }: Intaken): boolean {
    return received.some(({ team }) => this.#teamStates.limitsOf(team).receivedPerDay !== null)
  }

  async #takeWithinLimit(intaken: Intaken): Promise<boolean> {
    const isTaken = await this.#slots.use((slot) =>
      this.#db.transaction((trx) => insertWithinLimit(trx, intaken, slot)),
    )
    if (isTaken) for (const channel of channelsOf(intaken)) this.#db.signals.announce(channel)
    return isTaken
  }

  async #storeIfLarge({ raw }: Arrival, team: string, id: string): Promise<string | null> {
    if (raw.length <= MAX_ROW_BYTES) return null
    const key = `received/${team}/${id}/raw`
    await noteBlobs(this.#db, [key])
    await this.#blobs.put(key, raw)
    return key
  }
}

/** The row has the ids. What is in memory is as large as a row with a message may be, for as many as there are slots. */
const freshJob = (received: NewReceived, runAt: Date): FreshJob => {
  const { jobId, team, id, rawBlob, trace } = received
  const payload: ReadPayload = { team, id, ...(rawBlob === null && { received: justReceived(received) }) }
  return { id: jobId, team, payload, runAt, trace }
}

/** On which its jobs are announced. */
const channelsOf = ({ received, reports, domainReports }: Intaken) => [
  ...(received.length > 0 ? [jobsChannelOf(READ_RECEIVED)] : []),
  ...(reports.length > 0 ? [jobsChannelOf(READ_REPORT)] : []),
  ...(domainReports.length > 0 ? [jobsChannelOf(READ_DOMAIN_REPORT)] : []),
]

const usesOf = (received: readonly NewReceived[]) =>
  together(received.map(({ team, createdAt }) => ({ team, day: dayOf(createdAt), count: 1 })))

/** False: one of the teams has received as much as it may. */
async function insertWithinLimit(trx: Transaction, intaken: Intaken, slot: number): Promise<boolean> {
  const { received } = intaken
  const uses = usesOf(received)
  const balances = await lockBalances(trx, new Map(uses.map(({ team, day }) => [team, day])))
  if (![...balances.values()].every((balance) => balance.takeReceived())) return false
  await insertArrivals(trx, intaken, { uses, slot })
  return true
}
