import { createHash } from 'node:crypto'
import { comparableAddress, parseMailbox } from '../../../mail/address.ts'
import { parseMail } from '../../../mail/parse.ts'
import type { ParsedMail } from '../../../mail/parsed.ts'
import type { Difference } from './exchange.ts'
import type { OurSide } from './our-side.ts'
import { shortened, shortenedTexts } from './shorten.ts'

/** An email as the application asked the upstream to send it. */
type WantedEmail = Readonly<Record<string, unknown>>

interface Built {
  readonly source: { readonly source: string }
  readonly email: { readonly deliveries?: readonly { readonly recipient: string }[] }
  readonly attachments: { readonly data: readonly { readonly filename?: string; readonly download_url: string }[] }
}

/** Of a batch, the first ones speak for the others. */
const MAX_EMAILS = 10

/**
 * What our side would have sent, against what the application asked for: the built message is read as a mail program reads it. What a
 * template makes of it, only the upstream can say: `GET /emails/:id` is compared.
 */
export async function compareSent(
  { request, ourIds }: { request: unknown; ourIds: readonly string[] },
  call: (path: string) => ReturnType<OurSide['call']>,
): Promise<Difference[]> {
  const wanted = (Array.isArray(request) ? request : [request]) as WantedEmail[]
  // In a permissive batch some were refused: then they cannot be told apart by their order.
  if (wanted.length !== ourIds.length) return []
  const found: Difference[] = []
  for (const [index, email] of wanted.slice(0, MAX_EMAILS).entries())
    for (const difference of await compareOne(email, ourIds[index]!, call))
      if (!found.some(({ path }) => path === difference.path)) found.push(difference)
  return found
}

async function compareOne(wanted: WantedEmail, id: string, call: (path: string) => ReturnType<OurSide['call']>) {
  const read = async <Name extends keyof Built>(path: string): Promise<Built[Name] | null> => {
    const { status, body } = await call(path)
    return status === 200 ? (JSON.parse(body.toString('utf8')) as Built[Name]) : null
  }
  const [source, email] = [await read<'source'>(`/emails/${id}/source`), await read<'email'>(`/emails/${id}`)]
  if (!source || !email) return [{ path: 'sent', theirs: 'accepted', ours: 'no message' }]
  const mail = await parseMail(Buffer.from(source.source, 'latin1'))
  return [
    ...compareRecipients(wanted, email),
    ...compareTexts(wanted, mail),
    ...compareHeaders(wanted, mail),
    ...(await compareAttachments(wanted, () => read<'attachments'>(`/emails/${id}/attachments`), call)),
  ]
}

const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string')

/** Whom it goes to: the envelope, with everybody once. */
function compareRecipients(wanted: WantedEmail, { deliveries = [] }: Built['email']): Difference[] {
  const addresses = [wanted.to, wanted.cc, wanted.bcc].flatMap(listOf)
  const theirs = normalized(addresses.map((text) => parseMailbox(text)?.address ?? text))
  const ours = normalized(deliveries.map(({ recipient }) => recipient))
  return theirs === ours ? [] : [{ path: 'sent recipients', theirs: shortened(theirs), ours: shortened(ours) }]
}

const normalized = (addresses: readonly string[]) => [...new Set(addresses.map(comparableAddress))].sort().join(', ')

function compareTexts(wanted: WantedEmail, mail: ParsedMail): Difference[] {
  return (['subject', 'html', 'text'] as const).flatMap((name) => {
    const theirs = wanted[name]
    if (typeof theirs !== 'string' || theirs === '' || (wanted.template && name !== 'subject')) return []
    const ours = mail[name] ?? ''
    return sameText(theirs) === sameText(ours)
      ? []
      : [{ path: `sent ${name}`, ...shortenedTexts(sameText(theirs), sameText(ours)) }]
  })
}

/** Lines end alike in all mail, and the last one may end or not. */
const sameText = (text: string) => text.replace(/\r\n?/g, '\n').replace(/\n+$/, '').trimEnd()

function compareHeaders({ headers }: WantedEmail, mail: ParsedMail): Difference[] {
  if (typeof headers !== 'object' || headers === null) return []
  return Object.entries(headers).flatMap(([name, theirs]) => {
    const ours = mail.headers.filter((header) => header.name === name.toLowerCase()).map(({ value }) => value)
    const isThere = ours.some((value) => collapsed(value) === collapsed(String(theirs)))
    return isThere
      ? []
      : [{ path: `sent header ${shortened(name)}`, theirs: shortened(theirs), ours: shortened(ours[0]) }]
  })
}

const collapsed = (value: string) => value.replace(/\s+/g, ' ').trim()

async function compareAttachments(
  { attachments }: WantedEmail,
  read: () => Promise<Built['attachments'] | null>,
  call: (path: string) => ReturnType<OurSide['call']>,
): Promise<Difference[]> {
  if (!Array.isArray(attachments) || attachments.length === 0) return []
  const ours = (await read())?.data ?? []
  if (ours.length !== attachments.length)
    return [{ path: 'sent attachments', theirs: String(attachments.length), ours: String(ours.length) }]
  const digests: string[] = []
  for (const { download_url } of ours) {
    const { pathname, search } = new URL(download_url)
    digests.push(digestOf((await call(`${pathname}${search}`)).body))
  }
  const wanted = attachments.map((one) => contentOf((one as { content?: unknown }).content))
  // One by URL is the upstream's to download.
  const wrong = wanted.findIndex((content) => content !== null && !digests.includes(digestOf(content)))
  return wrong < 0
    ? []
    : [{ path: 'sent attachments', theirs: `sha256 ${digestOf(wanted[wrong]!)}`, ours: `sha256 ${digests[wrong]}` }]
}

const digestOf = (content: Buffer) => createHash('sha256').update(content).digest('hex').slice(0, 16)

/** The three forms in which clients send bytes. */
function contentOf(content: unknown): Buffer | null {
  if (typeof content === 'string') return Buffer.from(content, 'base64')
  const bytes = Array.isArray(content) ? content : (content as { data?: unknown } | undefined)?.data
  return Array.isArray(bytes) ? Buffer.from(bytes as number[]) : null
}
