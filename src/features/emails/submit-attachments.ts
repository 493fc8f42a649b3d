import { createHash } from 'node:crypto'
import { Problem } from '../../kernel/http/problem.ts'
import type { ParsedAttachment } from '../../mail/parsed.ts'
import type { Steps } from '../../mail/steps.ts'
import { inTurns } from '../../platform/concurrency/in-turns.ts'
import { newId } from '../../platform/ids.ts'
import {
  blobOf,
  encodedBytes,
  MAX_ATTACHMENT_BYTES,
  type Place,
  type ReadyAttachment,
  refuseExtension,
  tooMuch,
} from './attachments.ts'
import { MOST_ATTACHMENTS } from './schema.ts'

/** The attachments of a submitted message, to be shown and downloaded. They leave inside of the message, under the names it gives them. */
export function readyAttachments(attachments: readonly ParsedAttachment[], place: Place): ReadyAttachment[] {
  if (attachments.length > MOST_ATTACHMENTS)
    throw new Problem('invalid_attachment', `There can be ${MOST_ATTACHMENTS} attachments.`)
  const bytes = attachments.reduce((sum, { content }) => sum + encodedBytes(content.length), 0)
  if (bytes > MAX_ATTACHMENT_BYTES) throw tooMuch()
  return attachments.map(({ filename, contentType, contentId, content }) => {
    if (filename !== null) refuseExtension(filename)
    const id = newId(place.clock)
    return { id, filename, contentType, contentId, size: content.length, blob: blobOf(place, id), content }
  })
}

/** What tells one attachment from another, for an idempotency key. */
export async function digestsOf(attachments: readonly ParsedAttachment[]): Promise<object[]> {
  const digests: object[] = []
  for (const { filename, contentType, contentId, content } of attachments)
    digests.push({ filename, contentType, contentId, sha256: await inTurns(sha256(content)) })
  return digests
}

const SLICE = 1024 * 1024

function* sha256(content: Buffer): Steps<string> {
  const hash = createHash('sha256')
  for (let from = 0; from < content.length; from += SLICE) {
    hash.update(content.subarray(from, from + SLICE))
    yield
  }
  return hash.digest('hex')
}
