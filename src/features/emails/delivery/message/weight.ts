import { Semaphore } from '../../../../platform/concurrency/semaphore.ts'
import type { LoadedBroadcast } from './broadcasts.ts'

const KILOBYTE = 1_024
const MEGABYTE = 1_024 * KILOBYTE

/** What an email measures in the database, in bytes, known before any of it is loaded. */
export interface Sizes {
  /** All that is not body: addresses, subject, headers, tags. */
  readonly head: number
  readonly html: number
  readonly text: number
  readonly attachments: number
  /** What describes the attachments. */
  readonly attachmentRows: number
  readonly variables: number
  /** Set: the email leaves as it was submitted. Of all others but the head only the html counts, which can be tracked. */
  readonly submitted: number
}

/** The contract's 40 MB of attachments, and what is said about them. Few servers take half of it. */
export const MAX_MESSAGE_BYTES = 50 * MEGABYTE
/** 150 recipients with long names are 50 kB. Postfix cuts headers at 100 kB. */
export const MAX_HEAD_BYTES = 128 * KILOBYTE
/** Up to here events tell headers and tags, and a row in flight has them with it: there may be a thousand. */
export const MAX_EVENT_HEAD_BYTES = 16 * KILOBYTE

export const TOO_LARGE = `The email is larger than ${MAX_MESSAGE_BYTES / MEGABYTE} MB, or its headers are larger than ${MAX_HEAD_BYTES / KILOBYTE} kB.`

interface Weighed {
  readonly sizes: Sizes
  readonly broadcast: LoadedBroadcast | null
}

export const isTooLarge = (email: Weighed) =>
  email.sizes.head > MAX_HEAD_BYTES || messageBytes(email) > MAX_MESSAGE_BYTES

/** What the message comes to, at most, before its text is encoded. */
function messageBytes({ sizes, broadcast }: Weighed): number {
  if (sizes.submitted > 0) return sizes.submitted
  return textBytes({ sizes, broadcast }) + Math.ceil(sizes.attachments * BASE64) + sizes.head + sizes.attachmentRows
}

/** Four characters for three bytes, and two for the end of each line of 76. */
const BASE64 = 1.37
const UNSUBSCRIBE_URL_BYTES = 500
/** `"` becomes `&quot;` in html. */
const ESCAPING = 6

function textBytes({ sizes, broadcast }: Weighed): number {
  const values = broadcast ? broadcast.placeholders * (UNSUBSCRIBE_URL_BYTES + ESCAPING * sizes.variables) : 0
  return sizes.html + sizes.text + (broadcast?.bytes ?? 0) + values
}

// The copies that exist at once. Text: what PostgreSQL has sent, a string (two bytes for each character when one of them is not
// Latin-1), the encoded text, the message, and once more with its signature. An attachment: itself, encoded, and once more signed.
// A link of 20 characters becomes one of 250. Small parts of JSON become objects of ten times their size.
const TEXT_COPIES = 8
const TRACKED_TEXT_COPIES = 16
const ATTACHMENT_COPIES = 4
/** What PostgreSQL has sent, the message that came, the one that leaves, and once more with its signature. */
const SUBMITTED_COPIES = 4
const PARSED_JSON = 10
/** Sockets, promises, what is said about it. */
const ANY_BYTES = 16 * KILOBYTE
/** What is left of it while its answer is waited for. */
export const ANSWER_BYTES = ANY_BYTES

/** How much memory one copy of the email takes from the moment its content is loaded until its message is built. */
export function weightOf(email: Weighed, { isTracked }: { isTracked: boolean }): number {
  const { head, attachments, attachmentRows, submitted } = email.sizes
  const textCopies = isTracked ? TRACKED_TEXT_COPIES : submitted > 0 ? 0 : TEXT_COPIES
  return (
    ANY_BYTES +
    textBytes(email) * textCopies +
    submitted * SUBMITTED_COPIES +
    attachments * ATTACHMENT_COPIES +
    (head + attachmentRows) * PARSED_JSON
  )
}

/** Others get their turn while it is built: 10 ms is what 256 kB take on a slow core. */
export const isLarge = (email: Weighed) => messageBytes(email) > LARGE_MESSAGE_BYTES
const LARGE_MESSAGE_BYTES = 256 * KILOBYTE

const LARGE_BYTES = 2 * MEGABYTE
/** What is large waits for minutes when there is much of it; in flight it would take the slots of what is small. */
const MAX_LARGE_WAITING = 20

/** What is left of it once it is built: the message, once more with dots doubled, and once more as TLS has it. */
export const MESSAGE_COPIES = 3

/**
 * Memory for mail on its way out. A quarter is for what is small and one person waits for, a quarter for what is small and goes to
 * many, so that neither a newsletter to slow servers nor large mail keeps a password reset. What is larger than the half that is left goes
 * alone: `MAX_MESSAGE_BYTES` says how large that can be.
 */
export class MailMemory {
  readonly #small: Semaphore
  readonly #lowPriority: Semaphore
  readonly #large: Semaphore

  constructor(bytes: number) {
    this.#small = new Semaphore(bytes / 4)
    this.#lowPriority = new Semaphore(bytes / 4)
    this.#large = new Semaphore(bytes / 2)
  }

  /** So much waits already that this one had better come back later. */
  isCrowded(weight: number): boolean {
    return weight > LARGE_BYTES && this.#large.waiting >= MAX_LARGE_WAITING
  }

  /** Runs the task when there is room for its weight. The task says when it needs less. */
  run<Result>(
    weight: number,
    task: (resize: (weight: number) => void) => Promise<Result>,
    { isLowPriority }: { isLowPriority: boolean },
  ): Promise<Result> {
    const share = weight > LARGE_BYTES ? this.#large : isLowPriority ? this.#lowPriority : this.#small
    return share.run(weight, task, { isLowPriority })
  }

  /** For `/metrics`. */
  get used(): number {
    return this.#small.used + this.#lowPriority.used + this.#large.used
  }
}
