import type { Readable } from 'node:stream'
import type { Actor } from '../../kernel/http/actor.ts'
import { Semaphore } from '../../platform/concurrency/semaphore.ts'
import { findSentShown } from '../emails/index.ts'
import { findShown } from '../inbound/index.ts'
import { findReceived as findStored } from '../inbound/intake/queries.ts'
import { findExtents, findFiles, findHeads, type StoredFile } from './queries.ts'
import { sentRaw } from './sent.ts'
import type { MessagesServices } from './services.ts'

/** For large messages that are being put together. */
const building = new Semaphore(128 * 1024 * 1024)
/** The files, these as base64, and the message. */
const COPIES = 4

/** The message as it is on the wire, however large it is. */
export async function openRaw(
  services: MessagesServices,
  { team }: Actor,
  id: string,
): Promise<Buffer | Readable | null | undefined> {
  const { db, blobs } = services
  const [head] = await findHeads(db, [{ team, id }])
  if (!head) return undefined
  if (head.direction === 'sent') {
    const [extent] = await findExtents(db, team, [head])
    return building.run((extent?.size ?? 0) * COPIES, () => sentRaw(services, team, id))
  }
  const stored = await findStored(db, team, id)
  return stored && (stored.raw ?? (stored.rawBlob ? blobs.open(stored.rawBlob) : null))
}

/** The files of a message; none of one that is not there. */
export async function filesOf({ db }: MessagesServices, { team }: Actor, id: string): Promise<StoredFile[]> {
  const [head] = await findHeads(db, [{ team, id }])
  return head ? findFiles(db, head) : []
}

/** What people see of a message: the html with its own images, and the text. */
export async function showMessage(services: MessagesServices, { team }: Actor, id: string) {
  const [head] = await findHeads(services.db, [{ team, id }])
  if (!head) return undefined
  return head.direction === 'sent' ? findSentShown(services, team, id) : findShown(services, team, id)
}
