import type { Static } from 'typebox'
import { DOWNLOAD_LINK_MS } from '../../http/download.ts'
import type { Context } from '../../http/endpoint.ts'
import { found } from '../../http/problem.ts'
import { findRow } from '../../http/rows.ts'
import { readReceived } from '../../inbound/read.ts'
import { withInlineImages } from './inline-images.ts'
import { type AttachmentRow, findAttachments, findReceivedEmail, type ReceivedRow, receivedRows } from './queries.ts'
import type { HTML_FORMATS, ReceivedEmail } from './schema.ts'

/** Larger messages keep pointing to their images. */
const MAX_INLINE_BYTES = 100 * 1024 * 1024

type HtmlFormat = (typeof HTML_FORMATS)[number]

/** What reading a message needs. */
type Place = Pick<Context, 'db' | 'clock' | 'mail' | 'team'>

/** The message with its bodies. One that nobody has read yet is read now: who was told 250 may ask for it at once. */
export async function findRead({ db, clock, mail, team }: Place, id: string): Promise<ReceivedRow | undefined> {
  const row = await findReceivedEmail(db, team, id)
  if (!row || row.headers !== null) return row
  await readReceived({ db, clock, blobs: mail.contents }, team, id, async () => null)
  return findReceivedEmail(db, team, id)
}

export const requireReceived = async (context: Context, id: string): Promise<ReceivedRow> =>
  found(await findRead(context, id), 'Email')

export const isReceived = async ({ db, team }: Pick<Context, 'db' | 'team'>, id: string): Promise<boolean> =>
  (await findRow(db, receivedRows(team), id)) !== undefined

/** What people see of a message: its html with its own images. */
export async function findShown(place: Place, id: string) {
  const row = await findRead(place, id)
  if (!row) return undefined
  const { from, to, subject, created_at, html, text } = row
  return { from, to, subject: subject ?? '', created_at, html: html && (await embedOwnImages(place, id, html)), text }
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
    subject: item.subject ?? '',
    created_at: received_at.toISOString(),
    html: html && isInline ? await embedOwnImages(context, row.id, html) : html,
    text,
    headers: headersOf(headers ?? []),
    html_format: isInline ? 'data_uri' : 'cid',
    raw: rawLink(context, row.id),
  }
}

const embedOwnImages = ({ db, team, mail }: Place, id: string, html: string) =>
  embedImages(html, mail.contents, () => findAttachments(db, team, id))

type StoredFile = Pick<AttachmentRow, 'content_id' | 'content_type' | 'size' | 'blob'>

/** The html with those of its files that it shows. They are looked for only if it shows any. */
export async function embedImages(
  html: string,
  contents: Pick<Context['mail']['contents'], 'get'>,
  findFiles: () => Promise<readonly StoredFile[]>,
): Promise<string> {
  if (!/cid:/i.test(html)) return html
  const images = (await findFiles()).flatMap(({ content_id, content_type, size, blob }) =>
    content_id
      ? [
          {
            contentId: content_id,
            contentType: content_type,
            size: Number(size),
            content: () => contents.get(blob),
          },
        ]
      : [],
  )
  return withInlineImages(html, images)
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
