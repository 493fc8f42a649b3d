import type { BlobStore } from '../../../adapters/blobs/blob-store.ts'
import { abandonBlobs } from '../../../kernel/blobs/loose-blobs.ts'
import { type Database, pooled, type Transaction } from '../../../kernel/db/database.ts'
import { type NewEvent, OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import { parseMailbox } from '../../../mail/address.ts'
import type { ParsedAttachment } from '../../../mail/parsed.ts'
import type { Clock } from '../../../platform/clock.ts'
import { Semaphore } from '../../../platform/concurrency/semaphore.ts'
import { newId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/observability/log.ts'
import { NOT_CHECKED } from './authentication.ts'
import { parseInWorker } from './parser-pool.ts'
import {
  findReceived,
  findReceivedHead,
  type NewReceivedAttachment,
  noteAuthentication,
  type StoredReceived,
  writeReading,
} from './queries.ts'

/** Whoever keeps the links that sign people in. */
export interface LinkDisclosures {
  /** Ends those of these tokens that are still good, and returns how many there were. */
  end(tokens: readonly string[]): Promise<number>
}

/** What reading needs: the part of a blob store that it uses, besides the database. */
export interface ReadingParts {
  readonly db: Database
  readonly clock: Clock
  readonly blobs: Pick<BlobStore, 'put' | 'get'>
  readonly log: Log
  readonly disclosures: LinkDisclosures
}

export type Received = StoredReceived & { readonly raw: Buffer }

/** For messages that are being read, whoever asked for it. One of 42 MB is alone with what it is made of. */
const memory = new Semaphore(128 * 1024 * 1024)
/** Itself, its parts, and these once more on their way to where they are kept. */
const COPIES = 4

/**
 * Reads a message that was taken in: its bodies and attachments are stored, and the event is written. Whoever comes first
 * does it, the job or somebody who asks for the message; who comes second changes nothing. `known`: as it was taken in by this process, a
 * moment ago. Gives the raw message to who wants more,
 * as long as there is room for it.
 */
export async function readReceived<Result>(
  parts: ReadingParts,
  { team, id, known }: { readonly team: string; readonly id: string; readonly known?: StoredReceived | undefined },
  use: (received: Received) => Promise<Result>,
): Promise<Result | null> {
  const stored = known ?? (await findReceived(parts.db, team, id))
  if (!stored || !hasRaw(stored)) return null
  return memory.run(stored.size * COPIES, async () => {
    const raw = await rawOf(parts.blobs, stored)
    if (!stored.isRead) await read(parts, team, id, { ...stored, raw })
    return use({ ...stored, raw })
  })
}

async function read(parts: ReadingParts, team: string, id: string, stored: Received) {
  const { linkTokens, ...mail } = await parseInWorker(stored.raw)
  // Before anybody can see the message: a link in it is not theirs to use.
  const ended = linkTokens.length > 0 ? await parts.disclosures.end(linkTokens) : 0
  if (ended > 0)
    parts.log.warn({ team, email: id, links: ended }, 'inbound: revoked sign-in links found in received mail')
  const attachments = await store(parts, mail.attachments, { team, id })
  const event = receivedEvent({ team, id }, stored, attachments)
  const now = parts.clock.of(team).now()
  await writeReading(pooled(parts.db), { team, id }, { ...mail, attachments, event, now })
  parts.db.signals.announce(OUTBOX_CHANNEL)
  // Deleted meanwhile: then nobody names its files.
  if (attachments.length > 0 && !(await findReceivedHead(parts.db, team, id)))
    await abandonBlobs(
      parts.db,
      attachments.map(({ blob }) => blob),
    )
}

/** Shows a message with what was known when it was taken in: nobody tries to read it any more. */
export async function giveUpReading(trx: Transaction, team: string, id: string) {
  const stored = await findReceivedHead(trx, team, id)
  if (!stored) return
  const event = receivedEvent({ team, id }, stored, [])
  const reading = {
    headers: Buffer.from('[]'),
    html: null,
    text: null,
    faults: ['The message could not be read'],
    attachments: [],
    event,
    now: trx.clock.of(team).now(),
  }
  await writeReading(trx, { team, id }, reading)
  await noteAuthentication(trx, team, id, NOT_CHECKED)
  trx.announce(OUTBOX_CHANNEL)
}

/** False: the message as it arrived was erased, because it named somebody; what was read from it is kept. */
export const hasRaw = ({ raw, rawBlob }: StoredReceived): boolean => raw !== null || rawBlob !== null

export async function rawOf(blobs: ReadingParts['blobs'], { raw, rawBlob }: StoredReceived): Promise<Buffer> {
  const found = raw ?? (rawBlob && (await blobs.get(rawBlob)))
  if (!found) throw new Error(`A raw message is missing from the blob store: ${rawBlob}`)
  return found
}

/**
 * Under the same keys whoever reads it: a second reader writes the same bytes to the same places. So what a crash leaves is not loose,
 * it belongs to a message that will be read.
 */
async function store(
  { blobs, clock }: ReadingParts,
  attachments: readonly ParsedAttachment[],
  { team, id }: { team: string; id: string },
): Promise<NewReceivedAttachment[]> {
  const stored: NewReceivedAttachment[] = []
  for (const [index, { content, ...attachment }] of attachments.entries()) {
    const blob = `received/${team}/${id}/${index}`
    await blobs.put(blob, content)
    stored.push({ ...attachment, id: newId(clock.of(team)), size: content.length, blob })
  }
  return stored
}

const receivedEvent = (
  { team, id }: { readonly team: string; readonly id: string },
  stored: Omit<StoredReceived, 'raw'>,
  attachments: readonly NewReceivedAttachment[],
): NewEvent => ({ team, type: 'email.received', data: receivedEventData(id, stored, attachments), about: id })

const receivedEventData = (
  id: string,
  stored: Omit<StoredReceived, 'raw'>,
  attachments: readonly NewReceivedAttachment[],
) => ({
  email_id: id,
  created_at: stored.createdAt.toISOString(),
  from: parseMailbox(stored.from)?.address ?? stored.from,
  to: stored.to,
  bcc: stored.bcc,
  cc: stored.cc,
  received_for: stored.receivedFor,
  message_id: stored.messageId ?? '',
  subject: stored.subject ?? '',
  attachments: attachments.map((attachment) => ({
    id: attachment.id,
    filename: attachment.filename,
    content_type: attachment.contentType,
    content_disposition: attachment.disposition,
    content_id: attachment.contentId,
  })),
})
