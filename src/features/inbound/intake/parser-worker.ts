import { isIP } from 'node:net'
import { foldReport } from '../../../mail/domain-reports/fold.ts'
import { readDomainReport } from '../../../mail/domain-reports/read.ts'
import { linkTokensOf } from '../../../mail/link-tokens.ts'
import { parseMail, readHeaderFields } from '../../../mail/parse.ts'
import type { ParsedAttachment } from '../../../mail/parsed.ts'
import { readReport } from '../../../mail/report.ts'
import { readSubmitted } from '../../../mail/submitted.ts'
import { type Ask, serveThread } from '../../../platform/worker-threads/thread.ts'
import type { DnsReply } from './authentication.ts'
import type { Checked, Resolve } from './checks.ts'
import { withInlineImages } from './inline-images.ts'
import type {
  Presented,
  PresentQuestion,
  ReadDomainReport,
  ReadMail,
  ReportMail,
  ShownBodies,
} from './parser-messages.ts'

// The program of the worker threads that parse mail. Built as a file of its own (scripts/build.mjs).

serveThread({
  header: async (raw: Uint8Array) => ({ result: readHeaderFields(asBuffer(raw)) }),
  async submitted(raw: Uint8Array) {
    const submitted = await readSubmitted(asBuffer(raw))
    if ('refusal' in submitted) return { result: submitted }
    const attachments = submitted.mail.attachments.map(alone)
    const result = { ...submitted, mail: { ...submitted.mail, attachments } }
    return moved(
      result,
      attachments.map(({ content }) => content),
    )
  },
  async read(raw: Uint8Array) {
    const { headers, html, text, faults, attachments: found } = await parseMail(asBuffer(raw))
    const linkTokens = await linkTokensOf({ html, text, attachments: found })
    const attachments = found.map(alone)
    const [headersJson, htmlBytes, textBytes] = [JSON.stringify(headers), html, text].map(encoded)
    const bodies = { html: htmlBytes!, text: textBytes! }
    const result: ReadMail = { headers: headersJson!, ...bodies, faults, attachments, linkTokens }
    return moved(result, [headersJson!, htmlBytes!, textBytes!, ...attachments.map(({ content }) => content)])
  },
  async present({ reply, images }: Presented, ask) {
    const json = encoded(JSON.stringify({ ...reply, ...(await bodiesOf(images, ask)) }))!
    return moved(json, [json])
  },
  async show({ images }: Pick<Presented, 'images'>, ask) {
    const { html, text } = await bodiesOf(images, ask)
    const shown: ShownBodies = { html: encoded(html), text: encoded(text) }
    return moved(shown, [shown.html, shown.text])
  },
  async report(raw: Uint8Array) {
    const message = asBuffer(raw)
    return { result: readReport(await parseMail(message), message) }
  },
  async domainReport({ raw, kind, domain }: ReportMail) {
    const read = readDomainReport(await parseMail(asBuffer(raw)), kind)
    const result: ReadDomainReport = 'fault' in read ? read : { report: foldReport(read.report, domain, isIP) }
    return { result }
  },
  async check(checked: Checked, ask) {
    const { check } = await import('./checks.ts')
    return { result: await check(checked, asking(ask)) }
  },
})

/** As they are shown: the html with its own images. */
async function bodiesOf(images: Presented['images'], ask: Ask) {
  const asked = ask as (question: PresentQuestion) => Promise<unknown>
  const shown = images.map((image, index) => ({
    ...image,
    content: () => asked({ image: index }) as Promise<Uint8Array | null>,
  }))
  const html = await bodyOf(asked, 'html')
  return { html: html && (await withInlineImages(html, shown)), text: await bodyOf(asked, 'text') }
}

async function bodyOf(ask: (question: PresentQuestion) => Promise<unknown>, body: 'html' | 'text') {
  const pieces: string[] = []
  for (;;) {
    const piece = (await ask({ body, piece: pieces.length })) as string | null
    if (piece === null && pieces.length === 0) return null
    if (!piece) return pieces.join('')
    pieces.push(piece)
  }
}

/** The main thread's answers, as the library knows them from Node. */
const asking =
  (ask: Ask): Resolve =>
  async (name, type) => {
    const reply = (await ask({ name, type })) as DnsReply
    if ('code' in reply) throw Object.assign(new Error(`${type} ${name}: ${reply.code}`), { code: reply.code })
    return reply.records as string[]
  }

/** A view of the same bytes: what arrives in a thread has lost its methods. */
const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

const bufferOf = (bytes: Uint8Array) => bytes.buffer as ArrayBuffer

/** A result whose bytes change hands instead of being copied. */
const moved = <Result>(result: Result, bytes: readonly (Uint8Array | null)[]) => ({
  result,
  transfer: bytes.flatMap((one) => (one ? [bufferOf(one)] : [])),
})

/** UTF-8, in memory of its own. */
const encoded = (text: string | null): Uint8Array | null => (text === null ? null : new TextEncoder().encode(text))

/** In memory of its own, which can move to another thread: Node keeps small buffers together. */
function alone(attachment: ParsedAttachment): ParsedAttachment {
  const { content } = attachment
  if (content.length === content.buffer.byteLength) return attachment
  const copy = Buffer.allocUnsafeSlow(content.length)
  content.copy(copy)
  return { ...attachment, content: copy }
}
