import type { Resolver } from '../../../adapters/dns/resolver.ts'
import { hours, type Job, job, minutes } from '../../../kernel/jobs/job.ts'
import { enqueue } from '../../../kernel/jobs/queries.ts'
import { retention } from '../../../kernel/jobs/retention.ts'
import { mayBeComplaint } from '../../../mail/report/feedback.ts'
import { Semaphore } from '../../../platform/concurrency/semaphore.ts'
import { isSandbox } from '../../../platform/ids.ts'
import type { Metrics } from '../../../platform/observability/metrics.ts'
import { hostName } from '../../../platform/settings/config.ts'
import { applyReport } from '../../emails/delivery/outcomes/reports.ts'
import { type Authentication, authenticationOf, countTemporary } from './authentication.ts'
import { noteComplaint, readComplaint } from './complaint-job.ts'
import { knownSender } from './known-senders.ts'
import { type LookupDeadline, SlowSlots } from './lookup-deadline.ts'
import { readReportInWorker } from './parser-pool.ts'
import {
  deleteReportMailsBefore,
  findReceived,
  findReport,
  improveAuthentication,
  READ_RECEIVED,
  READ_REPORT,
  type ReadPayload,
  type ReadReportPayload,
  takeReport,
} from './queries.ts'
import { giveUpReading, hasRaw, type Received, rawOf, readReceived } from './read.ts'
import type { InboundServices } from './services.ts'

const READ_RETRY_SCHEDULE_SECONDS = [1, 10, minutes(1), minutes(10), hours(1)]
/** What these jobs read is untrusted. */
const MAX_CRASHES = 2

/** Parsing takes the processor, memory and connections: a few at once are all that is of use. */
const reading = new Semaphore(4)

/** What waits for name servers is in memory meanwhile. Larger messages wait in one of the slots for reading. */
const MAX_WAITING_BYTES = 1024 * 1024

/**
 * Six questions to name servers, one after another, are most of the time that a message takes: with servers 20 ms away, four at
 * once read 22 to 27 messages a second on two busy cores, and 32 read 92 to 106.
 * Reading it twice finds that it has been read; asking twice what SPF and the others say writes the same again.
 */
export const readArrived = job<ReadPayload, InboundServices>({
  name: READ_RECEIVED,
  retryAfterSeconds: READ_RETRY_SCHEDULE_SECONDS,
  concurrency: 48,
  maxCrashes: MAX_CRASHES,
  giveUp: ({ team, id }, trx) => giveUpReading(trx, team, id),
  async run({ team, id, received: known }, services) {
    const authenticate = async (received: Received) => {
      await judge(services, { team, id, asked: 0 }, received, FIRST_LOOKUPS)
      if (!mayBeComplaint(received)) return
      await services.db.transaction((trx) => enqueue(trx, readComplaint, { team, id }))
    }
    const readAlone = async (received: Received) => {
      if (received.raw.length <= MAX_WAITING_BYTES) return received
      await authenticate(received)
      return null
    }
    const small = await reading.run(1, () => readReceived(services, { team, id, known }, readAlone))
    if (small) await authenticate(small)
  },
})

// Sixteen of the 48 who read may wait long; a flood of mail from domains without an answer takes no more of them.
const FIRST_LOOKUPS: LookupDeadline = { ms: 4_000, slow: new SlowSlots({ afterMs: 750, slots: 16 }) }
const REPEATED_LOOKUPS: LookupDeadline = { ms: 10_000 }

/** When somebody is asked again who did not answer. The message is there meanwhile, with `temperror` for what is not known. */
const ASK_AGAIN_AFTER_SECONDS = [minutes(1), minutes(5), minutes(30), hours(2), hours(6)]

/** Bytes of messages that wait for an answer. */
const waiting = new Semaphore(64 * 1024 * 1024)

/** Whoever asks twice writes the better of two answers; a message that is gone meanwhile is nobody's question any more. */
export const authenticateAgain: Job<Asked, InboundServices> = job<Asked, InboundServices>({
  name: 'received-emails.authenticate',
  retryAfterSeconds: READ_RETRY_SCHEDULE_SECONDS,
  concurrency: 32,
  maxCrashes: MAX_CRASHES,
  async run(asked, services) {
    const stored = await findReceived(services.db, asked.team, asked.id)
    if (!stored || !hasRaw(stored)) return
    await waiting.run(stored.size, async () => {
      const raw = await rawOf(services.blobs, stored)
      await judge(services, asked, { ...stored, raw }, REPEATED_LOOKUPS)
    })
  },
})

interface Asked {
  readonly team: string
  readonly id: string
  /** How often it was asked again. */
  readonly asked: number
}

/** Mail of a sandbox is judged as if there were no DNS: nothing of it leaves, not even the names of its domains. */
const NOBODY: Resolver = { lookup: async () => ({ kind: 'none', reason: 'no_such_name' }) }

/** Asks what SPF and the others say, and plans to ask again for what name servers did not tell. */
async function judge(
  { db, clock, resolver, config, metrics }: InboundServices,
  of: Asked,
  received: Received,
  deadline: LookupDeadline,
) {
  const asked = isSandbox(of.team) ? NOBODY : resolver
  const authentication = await authenticationOf(received, { resolver: asked, hostname: hostName(config), deadline })
  const unknown = countTemporary(authentication)
  const written = { authentication, temporary: unknown, sender: knownSender(authentication, received.from) }
  const again = unknown > 0 ? ASK_AGAIN_AFTER_SECONDS[of.asked] : undefined
  // Counted when all is known, or when nobody will ask again.
  if (again === undefined) {
    countChecks(metrics, authentication)
    return await improveAuthentication(db, of, written)
  }
  await db.transaction(async (trx) => {
    const isThere = await improveAuthentication(trx, of, written)
    const runAt = new Date(clock.now().getTime() + again * 1_000)
    if (isThere) await enqueue(trx, authenticateAgain, { ...of, asked: of.asked + 1 }, { runAt })
  })
}

function countChecks(metrics: Metrics, { spf, dkim, dmarc, arc }: Authentication) {
  metrics.countCheck('spf', spf.result)
  // One signature that holds is what counts.
  metrics.countCheck('dkim', dkim.find(({ result }) => result === 'pass')?.result ?? dkim[0]?.result ?? 'none')
  metrics.countCheck('dmarc', dmarc.result)
  metrics.countCheck('arc', arc.result)
}

/** The report is gone once it was applied, so a second run finds nothing to do. */
export const readReport = job<ReadReportPayload, InboundServices>({
  name: READ_REPORT,
  retryAfterSeconds: READ_RETRY_SCHEDULE_SECONDS,
  concurrency: 4,
  maxCrashes: MAX_CRASHES,
  giveUp: async ({ id }, trx) => void (await takeReport(trx, id)),
  async run({ id, by = 'return-path' }, { db, log, metrics }) {
    const stored = await findReport(db, id)
    if (!stored) return
    const report = await readReportInWorker(stored.raw)
    const complained = await db.transaction(async (trx) => {
      if (!(await takeReport(trx, id))) return null
      const { emailId, position } = stored
      const applied = report && (await applyReport(trx, { by, emailId, position }, report))
      const recipients = applied?.recipients ?? 0
      log.debug({ email: emailId, by, kind: report?.kind ?? 'none', recipients }, 'inbound: report about an email read')
      return applied?.complaint ? { outcome: applied.complaint, provider: applied.provider } : null
    })
    if (complained) noteComplaint(complained, { email: stored.emailId }, { log, metrics })
  },
})

/**
 * Mails with reports go when they are read. Those whose team is deleted before that lose their job, which alone knew the team; they have no column for it,
 * and no team can ask for them to go sooner.
 */
export const sweepReportMails = retention({
  name: 'received-emails.reports.sweep',
  keepSeconds: () => 7 * hours(24),
  deleteBefore: async (db, expired) => expired.team === undefined && (await deleteReportMailsBefore(db, expired)),
})
