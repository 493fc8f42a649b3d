import { availableParallelism } from 'node:os'
import { readHeaderFields } from '../mail/parse.ts'
import type { ParsedMail } from '../mail/parsed.ts'
import type { Report } from '../mail/report.ts'
import { readSubmitted, type SubmittedMail, type Unsendable } from '../mail/submitted.ts'
import { assetPath } from '../platform/assets.ts'
import { ThreadPool } from '../platform/threads/thread-pool.ts'
import { ThreadLimitReached } from '../platform/threads/work.ts'
import type { Authentication, DnsReply, Question } from './authentication.ts'
import type { Checked } from './checks.ts'

// A message of 40 MB takes two seconds on a busy core. The text of one has 16 MB at most, in a few forms.
const threads = new ThreadPool({
  entry: () => assetPath('mail-thread.js'),
  threads: Math.max(2, Math.min(4, availableParallelism())),
  heapMb: 384,
})

const LIMIT_MS = 20_000
const LIGHT_BYTES = 1024 * 1024

/**
 * `parseMail`, in another thread. Never rejects for what the message is: one that cannot be read in time, or in the memory that there is
 * for it, has its header and a fault that says so.
 */
export async function parseApart(raw: Buffer): Promise<ParsedMail> {
  try {
    const mail = await threads.run<ParsedMail>({ name: 'parse', ...work(raw) })
    return withBuffers(mail)
  } catch (error) {
    if (!(error instanceof ThreadLimitReached)) throw error
    const faults = [`The body could not be read: it ${error.message}`]
    return { ...readHeaderFields(raw), html: null, text: null, attachments: [], faults }
  }
}

/** To hand over what is smaller takes longer than to read it, whatever is in it: some milliseconds. */
const AT_ONCE_BYTES = 64 * 1024

/** `readSubmitted`, in another thread. What cannot be read within the limits cannot be sent. */
export async function readSubmittedApart(raw: Buffer): Promise<SubmittedMail | Unsendable> {
  if (raw.length <= AT_ONCE_BYTES) return readSubmitted(raw)
  try {
    const submitted = await threads.run<SubmittedMail | Unsendable>({ name: 'submitted', ...work(raw) })
    return 'refusal' in submitted ? submitted : { ...submitted, mail: withBuffers(submitted.mail) }
  } catch (error) {
    if (error instanceof ThreadLimitReached) return { refusal: `The message cannot be read: it ${error.message}` }
    throw error
  }
}

/** What the message reports about mail of ours, or null. One that cannot be read within the limits reports nothing. */
export async function reportApart(raw: Buffer): Promise<Report | null> {
  try {
    return await threads.run<Report | null>({ name: 'report', ...work(raw) })
  } catch (error) {
    if (error instanceof ThreadLimitReached) return null
    throw error
  }
}

/** What SPF and the others say. Rejects with `ThreadLimitReached` when the message takes too long to check. */
export function checkApart(
  raw: Buffer,
  checked: Omit<Checked, 'raw'>,
  answer: (question: Question) => Promise<DnsReply>,
): Promise<Authentication> {
  const { input, ...limits } = work(raw)
  return threads.run<Authentication>({
    name: 'check',
    ...limits,
    input() {
      const { value, transfer } = input()
      return { value: { ...checked, raw: value }, transfer }
    },
    answer: (question) => answer(question as Question),
  })
}

const work = (raw: Buffer) => ({
  input() {
    // A copy, which moves: the caller keeps the message.
    const copy = Uint8Array.prototype.slice.call(raw)
    return { value: copy, transfer: [copy.buffer] }
  },
  isLight: raw.length <= LIGHT_BYTES,
  limitMs: LIMIT_MS,
})

/** What comes back from a thread has lost its methods. */
const withBuffers = (mail: ParsedMail): ParsedMail => ({
  ...mail,
  attachments: mail.attachments.map((one) => ({ ...one, content: asBuffer(one.content) })),
})

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
