import type { Static } from 'typebox'
import { DOWNLOAD_LINK_MS } from '../../http/download.ts'
import type { Context } from '../../http/endpoint.ts'
import { found } from '../../http/problem.ts'
import { readReceived } from '../../inbound/read.ts'
import { withInlineImages } from './inline-images.ts'
import { findAttachments, findReceivedEmail, type ReceivedRow } from './queries.ts'
import type { HTML_FORMATS, ReceivedEmail } from './schema.ts'

/** Larger messages keep pointing to their images. */
const MAX_INLINE_BYTES = 100 * 1024 * 1024

type HtmlFormat = (typeof HTML_FORMATS)[number]

/** The message with its bodies. One that nobody has read yet is read now: who was told 250 may ask for it at once. */
export async function requireReceived(context: Context, id: string): Promise<ReceivedRow> {
  const { db, clock, team, mail } = context
  const row = found(await findReceivedEmail(db, team, id), 'Email')
  if (row.headers !== null) return row
  await readReceived({ db, clock, blobs: mail.contents }, team, id, async () => null)
  return found(await findReceivedEmail(db, team, id), 'Email')
}

export async function presentReceived(
  context: Context,
  row: ReceivedRow,
  format: HtmlFormat,
): Promise<Static<typeof ReceivedEmail>> {
  const { received_at, headers, html, text, size, ...item } = row
  const isInline = format === 'data_uri' && Number(size) <= MAX_INLINE_BYTES
  return {
    object: 'email',
    ...item,
    created_at: received_at.toISOString(),
    html: html && isInline ? await embedImages(context, row.id, html) : html,
    text,
    headers: headersOf(headers ?? []),
    html_format: isInline ? 'data_uri' : 'cid',
    raw: rawLink(context, row.id),
  }
}

function embedImages({ db, team, mail }: Context, id: string, html: string): Promise<string> | string {
  if (!/cid:/i.test(html)) return html
  return findAttachments(db, team, id).then((attachments) =>
    withInlineImages(
      html,
      attachments.flatMap(({ content_id, content_type, size, blob }) =>
        content_id
          ? [
              {
                contentId: content_id,
                contentType: content_type,
                size: Number(size),
                content: () => mail.contents.get(blob),
              },
            ]
          : [],
      ),
    ),
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
