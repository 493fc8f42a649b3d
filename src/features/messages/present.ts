import { isUtf8 } from 'node:buffer'
import type { Static } from 'typebox'
import { DOWNLOAD_LINK_MS } from '../../kernel/http/download.ts'
import { extractUnsubscribe } from '../../mail/extract/unsubscribe.ts'
import { inTurns } from '../../platform/concurrency/in-turns.ts'
import { Semaphore } from '../../platform/concurrency/semaphore.ts'
import { loadEmail } from '../emails/delivery/ledger/load.ts'
import { readClick, TRACKING_PATHS } from '../emails/delivery/message/tracking.ts'
import { bodiesOf, findReceived } from '../inbound/index.ts'
import { findReceived as findStored } from '../inbound/intake/queries.ts'
import { MAX_INLINE_RAW_BYTES, MAX_SCAN_LENGTH, type MessageContent } from './content.ts'
import { shownOf, snippetIn } from './items.ts'
import type { Head } from './match.ts'
import { findExtents, findFiles, findHeads } from './queries.ts'
import type { Message } from './schema.ts'
import { sentContent } from './sent.ts'
import type { MessagesServices } from './services.ts'

export type WholeMessage = Static<typeof Message>

/** For messages that are being put together: the largest are 50 MB, and there are some copies of them. */
const presenting = new Semaphore(128 * 1024 * 1024)
const COPIES = 4

const BEGINNING = 30_000

/** The message with all that can be found in it. */
export async function findMessage(
  services: MessagesServices,
  team: string,
  id: string,
): Promise<WholeMessage | undefined> {
  const [head] = await findHeads(services.db, [{ team, id }])
  return head && presentMessage(services, head)
}

export async function presentMessage(services: MessagesServices, head: Head): Promise<WholeMessage | undefined> {
  const { db } = services
  const isSent = head.direction === 'sent'
  // Somebody waits for it: whatever does not need the other is asked for together.
  const [[extent], email, early] = await Promise.all([
    findExtents(db, head.team, [head]),
    isSent ? loadEmail(db, head.team, head.id) : undefined,
    isSent ? findFiles(db, head) : undefined,
  ])
  if (isSent && !email) return undefined
  const size = extent?.size ?? 0
  const content = await presenting.run(size * COPIES, () =>
    email ? sentContent(services, email) : receivedContent(services, head.team, head.id),
  )
  if (!content) return undefined
  // One that arrived and that nobody has looked at yet has been read now.
  const files = early ?? (await findFiles(db, head))
  const { html, linkedHtml, text, headers, raw } = content
  const [shortHtml, shortText] = [
    linkedHtml?.slice(0, MAX_SCAN_LENGTH) ?? null,
    text?.slice(0, MAX_SCAN_LENGTH) ?? null,
  ]
  // Words of many languages, which a service does not need until somebody opens a message.
  const { extractContent } = await import('../../mail/extract/content.ts')
  const found = await inTurns(extractContent({ subject: head.subject, html: shortHtml, text: shortText }))
  return {
    object: 'message',
    ...shownOf(head),
    snippet: snippetIn({ html: html?.slice(0, BEGINNING) ?? null, text }),
    size,
    html,
    text,
    headers: headers.map(({ name, value }) => ({ name, value })),
    links: found.links.map(({ text, href }) => ({ text, href, target: targetOf(services, href) })),
    codes: [...found.codes],
    unsubscribe: extractUnsubscribe(headers),
    images: found.images.map(({ src, alt }) => ({ src, alt })),
    attachments: files.map(({ blob: _blob, ...file }) => ({
      ...file,
      download_url: downloadUrl(services, head, file.id),
    })),
    raw: raw && readable(raw),
  }
}

async function receivedContent(
  services: MessagesServices,
  team: string,
  id: string,
): Promise<MessageContent | undefined> {
  const row = await findReceived(services, team, id)
  if (!row) return undefined
  const [bodies, raw] = await Promise.all([bodiesOf(services, team, row), rawOf(services, team, row)])
  return { ...bodies, linkedHtml: bodies.html, headers: row.headers ?? [], raw }
}

async function rawOf({ db, blobs }: MessagesServices, team: string, { id, size }: { id: string; size: string }) {
  if (Number(size) > MAX_INLINE_RAW_BYTES) return null
  const stored = await findStored(db, team, id)
  return stored?.raw ?? (stored?.rawBlob ? blobs.get(stored.rawBlob) : null)
}

/** Most mail is text. What is not valid as UTF-8 has a character for each byte. */
const readable = (raw: Buffer) => raw.toString(isUtf8(raw) ? 'utf8' : 'latin1')

/** Where a link leads: one of ours that counts clicks stands for another. */
function targetOf({ links, clock }: MessagesServices, href: string): string {
  const [, host, token] = TRACKED.exec(href) ?? []
  const click = host && token && readClick(links, token, { host: host.replace(/:\d+$/, ''), now: clock.now() })
  return click ? click.target : href
}

const TRACKED = new RegExp(`^https?://([^/?#@]+)${TRACKING_PATHS.click}/([\\w.-]{1,4000})$`, 'i')

function downloadUrl(
  { links, clock, publicUrl }: MessagesServices,
  { team, id: email, direction }: Head,
  file: string,
) {
  const expiresAt = new Date(clock.now().getTime() + DOWNLOAD_LINK_MS)
  const isSent = direction === 'sent'
  const token = links.sign(
    isSent ? 'email-attachments' : 'received-attachments',
    { team, email },
    expiresAt,
    publicUrl(),
  )
  return isSent
    ? `${publicUrl()}/downloads/emails/${token}/${file}`
    : `${publicUrl()}/downloads/received/${token}/attachments/${file}`
}
