import type { Services } from '../services.ts'
import type { Content } from './delivery/contents.ts'

/** Of a message that was submitted. Its header is less than half of it. */
export const SHOWN_SUBMITTED_BYTES = 256 * 1_024

/** What was submitted is shown without a look at its parts: there may not be all of it. */
export const asWritten = (content: Content): Content =>
  content.submitted
    ? { ...content, submitted: { ...content.submitted, layout: { ...content.submitted.layout, parts: [] } } }
    : content

export async function beginningOf({ blobs }: Pick<Services, 'blobs'>, blob: string, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of (await blobs.open(blob)) ?? []) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size >= bytes) break
  }
  return Buffer.concat(chunks).subarray(0, bytes)
}
