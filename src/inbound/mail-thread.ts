import { parseMail } from '../mail/parse.ts'
import type { ParsedAttachment, ParsedMail } from '../mail/parsed.ts'
import { readReport } from '../mail/report.ts'
import { readSubmitted } from '../mail/submitted.ts'
import { type Ask, serveThread } from '../platform/threads/thread.ts'
import type { DnsReply } from './authentication.ts'
import type { Checked, Resolve } from './checks.ts'

// The program of the threads that read mail. Built as a file of its own (scripts/build.mjs).

serveThread({
  async parse(raw: Uint8Array) {
    const { mail, transfer } = movable(await parseMail(asBuffer(raw)))
    return { result: mail, transfer }
  },
  async submitted(raw: Uint8Array) {
    const submitted = await readSubmitted(asBuffer(raw))
    if ('refusal' in submitted) return { result: submitted }
    const { mail, transfer } = movable(submitted.mail)
    return { result: { ...submitted, mail }, transfer }
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

function movable(mail: ParsedMail): { mail: ParsedMail; transfer: ArrayBuffer[] } {
  const attachments = mail.attachments.map(alone)
  return { mail: { ...mail, attachments }, transfer: attachments.map(({ content }) => content.buffer as ArrayBuffer) }
}

/** In memory of its own, which can move to another thread: Node keeps small buffers together. */
function alone(attachment: ParsedAttachment): ParsedAttachment {
  const { content } = attachment
  if (content.length === content.buffer.byteLength) return attachment
  const copy = Buffer.allocUnsafeSlow(content.length)
  content.copy(copy)
  return { ...attachment, content: copy }
}
