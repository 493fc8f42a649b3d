import type { Static } from 'typebox'
import { DOWNLOAD_LINK_MS } from '../../http/download.ts'
import { type Context, JsonText } from '../../http/endpoint.ts'
import { found } from '../../http/problem.ts'
import { type InlineImage, withInlineImages } from '../../inbound/inline-images.ts'
import { presentApart } from '../../inbound/mail-threads.ts'
import { readReceived } from '../../inbound/read.ts'
import { Semaphore } from '../../platform/semaphore.ts'
import { findAttachments, findBodyPiece, findReceivedEmail, MAX_SMALL_BYTES, type ReceivedRow } from './queries.ts'
import type { HTML_FORMATS, ReceivedEmail } from './schema.ts'

/** Larger messages keep pointing to their images. */
const MAX_INLINE_BYTES = 100 * 1024 * 1024

/** For answers that are being written. */
const presenting = new Semaphore(128 * 1024 * 1024)
/** The bodies, these in a thread, with images, and the answer. */
const COPIES = 4

type HtmlFormat = (typeof HTML_FORMATS)[number]

/** The message with its bodies. One that nobody has read yet is read now: who was told 250 may ask for it at once. */
export async function requireReceived(context: Context, id: string): Promise<ReceivedRow> {
  const { db, clock, team, mail } = context
  const row = found(await findReceivedEmail(db, team, id), 'Email')
  if (row.headers !== null) return row
  await readReceived({ db, clock, blobs: mail.contents }, team, id, async () => null)
  return found(await findReceivedEmail(db, team, id), 'Email')
}

type Presented = Static<typeof ReceivedEmail>

/** As it is answered. Of a large message the JSON itself, which another thread writes: searching and writing 16 MB takes seconds. */
export async function presentReceived(
  context: Context,
  row: ReceivedRow,
  format: HtmlFormat,
): Promise<Presented | JsonText> {
  const { received_at, headers, size, ...item } = row
  const isInline = format === 'data_uri' && Number(size) <= MAX_INLINE_BYTES
  const reply: Presented = {
    object: 'email',
    ...item,
    created_at: received_at.toISOString(),
    headers: headersOf(headers ?? []),
    html_format: isInline ? 'data_uri' : 'cid',
    raw: rawLink(context, row.id),
  }
  const isSmall = Number(size) <= MAX_SMALL_BYTES
  const mayHaveImages = isInline && (!isSmall || /cid:/i.test(item.html ?? ''))
  const images = mayHaveImages ? await imagesOf(context, row.id) : []
  if (isSmall) return { ...reply, html: item.html && (await withInlineImages(item.html, images)) }
  return presenting.run(Number(size) * COPIES, async () => {
    const { html, text, ...rest } = reply
    const pictures = images.map(({ content, ...image }) => image)
    const { db, team } = context
    const json = await presentApart(
      { reply: rest, images: pictures },
      {
        size: Number(size),
        answer: (question) =>
          'image' in question
            ? images[question.image]!.content()
            : findBodyPiece(db, { team, id: row.id, ...question }),
      },
    )
    // The message itself can be downloaded.
    if (!json) return reply
    return new JsonText(Buffer.from(json.buffer, json.byteOffset, json.length))
  })
}

async function imagesOf({ db, team, mail }: Context, id: string): Promise<InlineImage[]> {
  const attachments = await findAttachments(db, team, id)
  return attachments.flatMap(({ content_id, content_type, size, blob }) =>
    content_id === null
      ? []
      : [
          {
            contentId: content_id,
            contentType: content_type,
            size: Number(size),
            content: () => mail.contents.get(blob),
          },
        ],
  )
}

/** A name that comes several times has all its values, as HTTP would write them. */
function headersOf(headers: readonly { name: string; value: string }[]): Record<string, string> {
  const merged = new Map<string, string>()
  for (const { name, value } of headers) merged.set(name, merged.has(name) ? `${merged.get(name)}, ${value}` : value)
  return Object.fromEntries(merged)
}

function rawLink({ team, clock, mail }: Context, id: string) {
  const expiresAt = new Date(clock.now().getTime() + DOWNLOAD_LINK_MS)
  const token = mail.links.sign('received-raw', { team, email: id }, expiresAt, mail.publicUrl)
  return { download_url: `${mail.publicUrl}/downloads/received/${token}/raw`, expires_at: expiresAt.toISOString() }
}
