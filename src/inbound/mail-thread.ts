import { parseMail, readHeaderFields } from '../mail/parse.ts'
import type { ParsedAttachment, ParsedMail } from '../mail/parsed.ts'
import { readReport } from '../mail/report.ts'
import { type Ask, serveThread } from '../platform/threads/thread.ts'
import type { DnsReply } from './authentication.ts'
import type { Checked, Resolve } from './checks.ts'
import { withInlineImages } from './inline-images.ts'
import type { Presented, PresentQuestion, ReadMail } from './thread-works.ts'

// The program of the threads that read mail. Built as a file of its own (scripts/build.mjs).

serveThread({
  header: async (raw: Uint8Array) => ({ result: readHeaderFields(asBuffer(raw)) }),
  async parse(raw: Uint8Array) {
    const mail = await parseMail(asBuffer(raw))
    const attachments = mail.attachments.map(alone)
    const result: ParsedMail = { ...mail, attachments }
    return { result, transfer: attachments.map(({ content }) => bufferOf(content)) }
  },
  async read(raw: Uint8Array) {
    const { headers, html, text, faults, attachments: found } = await parseMail(asBuffer(raw))
    const attachments = found.map(alone)
    const [headersJson, htmlBytes, textBytes] = [JSON.stringify(headers), html, text].map(encoded)
    const result: ReadMail = { headers: headersJson!, html: htmlBytes!, text: textBytes!, faults, attachments }
    const moving = [headersJson!, htmlBytes!, textBytes!, ...attachments.map(({ content }) => content)]
    return { result, transfer: moving.flatMap((bytes) => (bytes ? [bufferOf(bytes)] : [])) }
  },
  async present({ reply, images }: Presented, ask) {
    const asked = ask as (question: PresentQuestion) => Promise<unknown>
    const shown = images.map((image, index) => ({
      ...image,
      content: () => asked({ image: index }) as Promise<Uint8Array | null>,
    }))
    const html = await bodyOf(asked, 'html')
    const written = html && (await withInlineImages(html, shown))
    const json = encoded(JSON.stringify({ ...reply, html: written, text: await bodyOf(asked, 'text') }))!
    return { result: json, transfer: [bufferOf(json)] }
  },
  async report(raw: Uint8Array) {
    const message = asBuffer(raw)
    return { result: readReport(await parseMail(message), message) }
  },
  async check(checked: Checked, ask) {
    const { check } = await import('./checks.ts')
    return { result: await check(checked, asking(ask)) }
  },
})

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
