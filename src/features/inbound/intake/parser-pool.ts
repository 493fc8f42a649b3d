import { availableParallelism } from 'node:os'
import { linkTokensInBytes } from '../../../mail/link-tokens.ts'
import { MAX_HEADER_BYTES } from '../../../mail/parse/limits.ts'
import { readHeaderFields } from '../../../mail/parse.ts'
import type { HeaderFields, ParsedAttachment } from '../../../mail/parsed.ts'
import type { Report } from '../../../mail/report.ts'
import { readSubmitted, type SubmittedMail, type Unsendable } from '../../../mail/submitted.ts'
import { assetPath } from '../../../platform/assets.ts'
import { ThreadPool } from '../../../platform/worker-threads/thread-pool.ts'
import { ThreadLimitReached } from '../../../platform/worker-threads/work.ts'
import type { Authentication, DnsReply, Question } from './authentication.ts'
import type { Checked } from './checks.ts'
import type {
  Presented,
  PresentQuestion,
  ReadDomainReport,
  ReadMail,
  ReportMail,
  ShownBodies,
} from './parser-messages.ts'

// A message of 40 MB takes two seconds on a busy core. The text of one has 16 MB at most, in a few forms.
const pool = new ThreadPool({
  entry: () => assetPath('parser-worker.js'),
  threads: Math.max(2, Math.min(4, availableParallelism())),
  heapMb: 384,
})

const MAX_WORK_MS = 15_000
const LIGHT_BYTES = 1024 * 1024

/** Reading 16 kB of addresses takes some 15 ms. */
const SHORT_HEADER_BYTES = 16 * 1024

/** `readHeaderFields`, in a worker thread when the header is long. */
export async function readHeaderInWorker(raw: Buffer): Promise<HeaderFields> {
  if (raw.subarray(0, SHORT_HEADER_BYTES).includes('\r\n\r\n')) return readHeaderFields(raw)
  // No more of it is read.
  const header = raw.subarray(0, MAX_HEADER_BYTES + 4)
  return within(
    () => pool.run<HeaderFields>({ name: 'header', ...work(header) }),
    () => NO_HEADER,
  )
}

const NO_HEADER: HeaderFields = {
  ...{ from: '', to: [], cc: [], bcc: [], replyTo: [] },
  ...{ subject: null, messageId: null, date: null, headers: [] },
}

/**
 * `parseMail`, in a worker thread, for the caller who keeps the message. Never rejects for what it is: one that cannot be read in time, or in the
 * memory that there is for it, has its header and a fault that says so.
 */
export function parseInWorker(raw: Buffer, limitMs = MAX_WORK_MS): Promise<ReadMail> {
  return within(
    async () => {
      const mail = await pool.run<ReadMail>({ name: 'read', ...work(raw), limitMs })
      return { ...mail, attachments: mail.attachments.map(withBuffer) }
    },
    async (fault) => {
      const { headers } = await readHeaderInWorker(raw)
      const nothing = { html: null, text: null, attachments: [] }
      const linkTokens = linkTokensInBytes(raw)
      return { headers: Buffer.from(JSON.stringify(headers)), ...nothing, faults: [fault], linkTokens }
    },
  )
}

/** To hand over what is smaller takes longer than to read it, whatever is in it: some milliseconds. */
const MAX_INLINE_BYTES = 64 * 1024

/** `readSubmitted`, in a worker thread. What cannot be read within the limits cannot be sent. */
export function readSubmittedInWorker(raw: Buffer): Promise<SubmittedMail | Unsendable> {
  if (raw.length <= MAX_INLINE_BYTES) return readSubmitted(raw)
  return within<SubmittedMail | Unsendable>(
    async () => {
      const submitted = await pool.run<SubmittedMail | Unsendable>({ name: 'submitted', ...work(raw) })
      if ('refusal' in submitted) return submitted
      const { mail } = submitted
      return { ...submitted, mail: { ...mail, attachments: mail.attachments.map(withBuffer) } }
    },
    (fault) => ({ refusal: fault }),
  )
}

interface Questions {
  /** Of the message. */
  readonly size: number
  answer(question: PresentQuestion): Promise<unknown>
}

/** The JSON of an answer about a message, its bodies and images put in; null when it would take too long or too much. */
export const presentInWorker = (presented: Presented, questions: Questions): Promise<Uint8Array | null> =>
  presenting<Uint8Array>('present', presented, questions)

/** The same without the answer around it. */
export async function renderBodiesInWorker(
  images: Presented['images'],
  questions: Questions,
): Promise<{ html: string | null; text: string | null }> {
  const shown = await presenting<ShownBodies>('show', { images }, questions)
  return { html: textOf(shown?.html), text: textOf(shown?.text) }
}

const presenting = <Result>(name: string, value: object, { size, answer }: Questions): Promise<Result | null> =>
  within<Result | null>(
    () =>
      pool.run<Result>({
        name,
        input: () => ({ value }),
        isLight: size <= LIGHT_BYTES,
        limitMs: MAX_WORK_MS,
        answer: (question) => answer(question as PresentQuestion),
      }),
    () => null,
  )

const textOf = (bytes: Uint8Array | null | undefined) =>
  bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8') : null

/** What the message reports about mail of ours, or null. One that cannot be read within the limits reports nothing. */
export const readReportInWorker = (raw: Buffer): Promise<Report | null> =>
  within(
    () => pool.run<Report | null>({ name: 'report', ...work(raw) }),
    () => null,
  )

/**
 * What the message reports about a domain. One that cannot be read within the limits reports nothing. Never light: what is in it is packed, so its size
 * says nothing of the work.
 */
export function readDomainReportInWorker(
  raw: Buffer,
  about: Pick<ReportMail, 'kind' | 'domain'>,
): Promise<ReadDomainReport> {
  const { input, limitMs } = work(raw)
  return within<ReadDomainReport>(
    () =>
      pool.run<ReadDomainReport>({
        name: 'domainReport',
        input() {
          const { value, transfer } = input()
          return { value: { ...about, raw: value } satisfies ReportMail, transfer }
        },
        isLight: false,
        limitMs,
      }),
    (fault) => ({ fault }),
  )
}

/** What SPF and the others say. Rejects with `ThreadLimitReached` when the message takes too long to check. */
export function authenticateInWorker(
  raw: Buffer,
  checked: Omit<Checked, 'raw'>,
  answer: (question: Question) => Promise<DnsReply>,
): Promise<Authentication> {
  const { input, ...limits } = work(raw)
  return pool.run<Authentication>({
    name: 'check',
    ...limits,
    input() {
      const { value, transfer } = input()
      return { value: { ...checked, raw: value }, transfer }
    },
    answer: (question) => answer(question as Question),
  })
}

/** What the work comes to, or what is said when it would have taken too long or too much. */
async function within<Result>(
  run: () => Promise<NoInfer<Result>>,
  otherwise: (fault: string) => NoInfer<Result> | Promise<NoInfer<Result>>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ThreadLimitReached)) throw error
    return otherwise(`The message could not be read: it ${error.message}`)
  }
}

const work = (raw: Buffer) => ({
  input() {
    // A copy, which moves: the caller keeps the message.
    const copy = Uint8Array.prototype.slice.call(raw)
    return { value: copy, transfer: [copy.buffer] }
  },
  isLight: raw.length <= LIGHT_BYTES,
  limitMs: MAX_WORK_MS,
})

/** What comes from a thread has lost its methods. */
const withBuffer = ({ content, ...attachment }: ParsedAttachment): ParsedAttachment => ({
  ...attachment,
  content: Buffer.from(content.buffer, content.byteOffset, content.length),
})
