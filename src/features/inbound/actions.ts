import { setTimeout as wait } from 'node:timers/promises'
import type { Static } from 'typebox'
import type { BlobStore } from '../../adapters/blobs/blob-store.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { DOWNLOAD_LINK_MS } from '../../kernel/http/download.ts'
import { JsonText } from '../../kernel/http/endpoint.ts'
import { found } from '../../kernel/http/problem.ts'
import { findRow } from '../../kernel/http/rows.ts'
import { fromPieces } from '../../platform/concurrency/long-text.ts'
import { Semaphore } from '../../platform/concurrency/semaphore.ts'
import { READ_YOUR_WRITES } from '../../platform/read-your-writes.ts'
import { type InlineImage, withInlineImages } from './intake/inline-images.ts'
import { presentInWorker, renderBodiesInWorker } from './intake/parser-pool.ts'
import { readReceived } from './intake/read.ts'
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
import type { InboundServices } from './services.ts'

/** Larger messages keep pointing to their images. */
const MAX_INLINE_BYTES = 100 * 1024 * 1024

/** For answers that are being written. */
const presenting = new Semaphore(128 * 1024 * 1024)
/** The bodies, these in a thread, with images, and the answer. */
const COPIES = 4

type HtmlFormat = (typeof HTML_FORMATS)[number]

/** The message with its bodies. One that nobody has read yet is read now: who got 250 may ask for it at once. */
export async function findReceived(
  services: InboundServices,
  team: string,
  id: string,
): Promise<ReceivedRow | undefined> {
  const { db } = services
  const row = await findReceivedEmail(db, team, id)
  if (!row || row.headers !== null) return row
  await readReceived(services, { team, id }, async () => null)
  return findReceivedEmail(db, team, id)
}

/** As many as a person looks at. In a flood the list waits for the jobs. */
const MAX_PARSED_PER_LIST = 20

/** Reads what has just arrived, so that who got 250 finds it in the list. What takes longer is listed when the job has read it. */
export async function readWhatArrived(services: InboundServices, { team }: Actor): Promise<void> {
  const { db, clock } = services
  const ids = await findUnread(db, team, clock.of(team).now(), MAX_PARSED_PER_LIST)
  if (ids.length === 0) return
  const reading = ids.map((id) => readReceived(services, { team, id }, async () => null))
  await Promise.race([Promise.allSettled(reading), wait(READ_YOUR_WRITES.maxMs, undefined, { ref: false })])
}

export const requireReceived = async (services: InboundServices, actor: Actor, id: string): Promise<ReceivedRow> =>
  found(await findReceived(services, actor.team, id), 'Email')

export const isReceived = async (db: Queryable, team: string, id: string): Promise<boolean> =>
  (await findRow(db, receivedRows(team), id)) !== undefined

/** The bodies as they are. */
export async function bodiesOf({ db }: InboundServices, team: string, row: ReceivedRow) {
  if (isSmall(row)) return { html: row.html, text: row.text }
  const whole = (body: 'html' | 'text') => fromPieces((piece) => findBodyPiece(db, { team, id: row.id, body, piece }))
  return { html: await whole('html'), text: await whole('text') }
}

/** What people see of a message: its html with its own images. */
export async function findShown(services: InboundServices, team: string, id: string) {
  const row = await findReceived(services, team, id)
  if (!row) return undefined
  const { from, to, subject, created_at } = row
  return { from, to, subject: subject ?? '', created_at, ...(await shownBodies(services, team, row)) }
}

async function shownBodies(services: InboundServices, team: string, row: ReceivedRow) {
  const images = await imagesOf(services, team, row)
  if (isSmall(row)) return { html: row.html && (await withInlineImages(row.html, images)), text: row.text }
  return presenting.run(sizeOf(row) * COPIES, () =>
    renderBodiesInWorker(namesOf(images), questionsOf(services, team, row, images)),
  )
}

type Presented = Static<typeof ReceivedEmail>

export async function presentReceived(
  services: InboundServices,
  actor: Actor,
  row: ReceivedRow,
  format: HtmlFormat,
): Promise<Presented | JsonText> {
  const { received_at, headers, size, html, text, ...item } = row
  const isInline = format === 'data_uri' && sizeOf(row) <= MAX_INLINE_BYTES
  const reply = {
    object: 'email' as const,
    ...item,
    subject: item.subject ?? '',
    created_at: received_at.toISOString(),
    headers: headersOf(headers ?? []),
    html_format: isInline ? ('data_uri' as const) : ('cid' as const),
    raw: rawLink(services, actor, row.id),
  }
  return presentWithBodies(services, actor.team, { row, reply, isInline })
}

/** Whatever shows a message of an inbox. */
export const presentShown = <Reply extends object>(
  services: InboundServices,
  team: string,
  row: ReceivedRow,
  reply: Reply,
) => presentWithBodies(services, team, { row, reply, isInline: sizeOf(row) <= MAX_INLINE_BYTES })

/** As it is answered. Of a large message the JSON itself, which another thread writes: searching and writing 16 MB takes seconds. */
async function presentWithBodies<Reply extends object>(
  services: InboundServices,
  team: string,
  { row, reply, isInline }: { readonly row: ReceivedRow; readonly reply: Reply; readonly isInline: boolean },
): Promise<(Reply & { html: string | null; text: string | null }) | JsonText> {
  const { html, text } = row
  const images = isInline ? await imagesOf(services, team, row) : []
  if (isSmall(row)) return { ...reply, html: html && (await withInlineImages(html, images)), text }
  return presenting.run(sizeOf(row) * COPIES, async () => {
    const json = await presentInWorker({ reply, images: namesOf(images) }, questionsOf(services, team, row, images))
    // The message itself can be downloaded.
    return json ? new JsonText(Buffer.from(json.buffer, json.byteOffset, json.length)) : { ...reply, html, text }
  })
}

const sizeOf = ({ size }: ReceivedRow) => Number(size)
const isSmall = (row: ReceivedRow) => sizeOf(row) <= MAX_SMALL_BYTES

const namesOf = (images: readonly InlineImage[]) => images.map(({ content, ...image }) => image)

/** What a thread asks that puts the bodies of a large message together. */
const questionsOf = ({ db }: InboundServices, team: string, row: ReceivedRow, images: readonly InlineImage[]) => ({
  size: sizeOf(row),
  answer: (question: Parameters<Parameters<typeof presentInWorker>[1]['answer']>[0]) =>
    'image' in question ? images[question.image]!.content() : findBodyPiece(db, { team, id: row.id, ...question }),
})

/** They are looked for only if the html shows any, or is too large to be looked at here. */
async function imagesOf({ db, blobs }: InboundServices, team: string, row: ReceivedRow): Promise<InlineImage[]> {
  const mayShowAny = !isSmall(row) || /cid:/i.test(row.html ?? '')
  return mayShowAny ? imagesAmong(await findAttachments(db, team, row.id), blobs) : []
}

type StoredFile = Pick<AttachmentRow, 'content_id' | 'content_type' | 'size' | 'blob'>

/** The html of a sent email with those of its files that it shows. */
export async function embedImages(
  html: string,
  blobs: Pick<BlobStore, 'get'>,
  findFiles: () => Promise<readonly StoredFile[]>,
): Promise<string> {
  return /cid:/i.test(html) ? withInlineImages(html, imagesAmong(await findFiles(), blobs)) : html
}

const imagesAmong = (files: readonly StoredFile[], blobs: Pick<BlobStore, 'get'>): InlineImage[] =>
  files.flatMap(({ content_id, content_type, size, blob }) =>
    content_id
      ? [{ contentId: content_id, contentType: content_type, size: Number(size), content: () => blobs.get(blob) }]
      : [],
  )

/** A name that comes several times has all its values, as HTTP would write them. */
function headersOf(headers: readonly { name: string; value: string }[]): Record<string, string> {
  const merged = new Map<string, string>()
  for (const { name, value } of headers) merged.set(name, merged.has(name) ? `${merged.get(name)}, ${value}` : value)
  return Object.fromEntries(merged)
}

function rawLink({ clock, links, publicUrl }: InboundServices, { team }: Actor, id: string) {
  const expiresAt = new Date(clock.now().getTime() + DOWNLOAD_LINK_MS)
  const token = links.sign('received-raw', { team, email: id }, expiresAt, publicUrl())
  return {
    download_url: `${publicUrl()}/downloads/received/${token}/raw`,
    expires_at: clock.of(team).fromReal(expiresAt).toISOString(),
  }
}
