import { setTimeout as wait } from 'node:timers/promises'
import type { Static } from 'typebox'
import { DOWNLOAD_LINK_MS } from '../../http/download.ts'
import { type Context, JsonText } from '../../http/endpoint.ts'
import { found } from '../../http/problem.ts'
import { findRow } from '../../http/rows.ts'
import { type InlineImage, withInlineImages } from '../../inbound/inline-images.ts'
import { presentApart, showApart } from '../../inbound/mail-threads.ts'
import { readReceived } from '../../inbound/read.ts'
import { Semaphore } from '../../platform/semaphore.ts'
import {
  type AttachmentRow,
  findAttachments,
  findBodyPiece,
  findReceivedEmail,
  findUnread,
  MAX_SMALL_BYTES,
  type ReceivedRow,
  receivedRows,
} from './queries.ts'
import type { HTML_FORMATS, ReceivedEmail } from './schema.ts'

/** Larger messages keep pointing to their images. */
const MAX_INLINE_BYTES = 100 * 1024 * 1024

/** For answers that are being written. */
const presenting = new Semaphore(128 * 1024 * 1024)
/** The bodies, these in a thread, with images, and the answer. */
const COPIES = 4

type HtmlFormat = (typeof HTML_FORMATS)[number]

/** What reading a message needs. */
type Place = Pick<Context, 'db' | 'clock' | 'mail' | 'team'>

/** The message with its bodies. One that nobody has read yet is read now: who was told 250 may ask for it at once. */
async function findRead({ db, clock, mail, team }: Place, id: string): Promise<ReceivedRow | undefined> {
  const row = await findReceivedEmail(db, team, id)
  if (!row || row.headers !== null) return row
  await readReceived({ db, clock, blobs: mail.contents }, team, id, async () => null)
  return findReceivedEmail(db, team, id)
}

/** As many as a person looks at. In a flood the list waits for the jobs. */
const MOST_READ_FOR_A_LIST = 20
const READ_FOR_A_LIST_MS = 2_000

/** Reads what has just arrived, so that who was told 250 finds it in the list. What takes longer is listed when the job has read it. */
export async function readWhatArrived({ db, clock, mail, team }: Place): Promise<void> {
  const ids = await findUnread(db, team, clock.now(), MOST_READ_FOR_A_LIST)
  if (ids.length === 0) return
  const desk = { db, clock, blobs: mail.contents }
  const reading = ids.map((id) => readReceived(desk, team, id, async () => null))
  await Promise.race([Promise.allSettled(reading), wait(READ_FOR_A_LIST_MS, undefined, { ref: false })])
}

export const requireReceived = async (context: Context, id: string): Promise<ReceivedRow> =>
  found(await findRead(context, id), 'Email')

export const isReceived = async ({ db, team }: Pick<Context, 'db' | 'team'>, id: string): Promise<boolean> =>
  (await findRow(db, receivedRows(team), id)) !== undefined

/** What people see of a message: its html with its own images. */
export async function findShown(place: Place, id: string) {
  const row = await findRead(place, id)
  if (!row) return undefined
  const { from, to, subject, created_at } = row
  return { from, to, subject: subject ?? '', created_at, ...(await shownBodies(place, row)) }
}

async function shownBodies(place: Place, row: ReceivedRow) {
  const images = await imagesOf(place, row)
  if (isSmall(row)) return { html: row.html && (await withInlineImages(row.html, images)), text: row.text }
  return presenting.run(sizeOf(row) * COPIES, () => showApart(namesOf(images), questionsOf(place, row, images)))
}

type Presented = Static<typeof ReceivedEmail>

/** As it is answered. Of a large message the JSON itself, which another thread writes: searching and writing 16 MB takes seconds. */
export async function presentReceived(
  context: Context,
  row: ReceivedRow,
  format: HtmlFormat,
): Promise<Presented | JsonText> {
  const { received_at, headers, size, ...item } = row
  const isInline = format === 'data_uri' && sizeOf(row) <= MAX_INLINE_BYTES
  const reply: Presented = {
    object: 'email',
    ...item,
    subject: item.subject ?? '',
    created_at: received_at.toISOString(),
    headers: headersOf(headers ?? []),
    html_format: isInline ? 'data_uri' : 'cid',
    raw: rawLink(context, row.id),
  }
  const images = isInline ? await imagesOf(context, row) : []
  if (isSmall(row)) return { ...reply, html: item.html && (await withInlineImages(item.html, images)) }
  return presenting.run(sizeOf(row) * COPIES, async () => {
    const { html, text, ...rest } = reply
    const json = await presentApart({ reply: rest, images: namesOf(images) }, questionsOf(context, row, images))
    // The message itself can be downloaded.
    return json ? new JsonText(Buffer.from(json.buffer, json.byteOffset, json.length)) : reply
  })
}

const sizeOf = ({ size }: ReceivedRow) => Number(size)
const isSmall = (row: ReceivedRow) => sizeOf(row) <= MAX_SMALL_BYTES

const namesOf = (images: readonly InlineImage[]) => images.map(({ content, ...image }) => image)

/** What a thread asks that puts the bodies of a large message together. */
const questionsOf = ({ db, team }: Place, row: ReceivedRow, images: readonly InlineImage[]) => ({
  size: sizeOf(row),
  answer: (question: Parameters<Parameters<typeof presentApart>[1]['answer']>[0]) =>
    'image' in question ? images[question.image]!.content() : findBodyPiece(db, { team, id: row.id, ...question }),
})

/** They are looked for only if the html shows any, or is too large to be looked at here. */
async function imagesOf({ db, team, mail }: Place, row: ReceivedRow): Promise<InlineImage[]> {
  const mayShowAny = !isSmall(row) || /cid:/i.test(row.html ?? '')
  return mayShowAny ? imagesAmong(await findAttachments(db, team, row.id), mail.contents) : []
}

type StoredFile = Pick<AttachmentRow, 'content_id' | 'content_type' | 'size' | 'blob'>

/** The html of a sent email with those of its files that it shows. */
export async function embedImages(
  html: string,
  contents: Pick<Context['mail']['contents'], 'get'>,
  findFiles: () => Promise<readonly StoredFile[]>,
): Promise<string> {
  return /cid:/i.test(html) ? withInlineImages(html, imagesAmong(await findFiles(), contents)) : html
}

const imagesAmong = (files: readonly StoredFile[], contents: Pick<Context['mail']['contents'], 'get'>): InlineImage[] =>
  files.flatMap(({ content_id, content_type, size, blob }) =>
    content_id
      ? [{ contentId: content_id, contentType: content_type, size: Number(size), content: () => contents.get(blob) }]
      : [],
  )

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
