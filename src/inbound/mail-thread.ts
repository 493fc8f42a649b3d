import { parseMail } from '../mail/parse.ts'
import type { ParsedAttachment, ParsedMail } from '../mail/parsed.ts'
import { serveThread } from '../platform/threads/thread.ts'

// The program of the threads that read mail. Built as a file of its own (scripts/build.mjs).

serveThread({
  async parse(raw: Uint8Array) {
    const mail = await parseMail(asBuffer(raw))
    const attachments = mail.attachments.map(alone)
    const result: ParsedMail = { ...mail, attachments }
    return { result, transfer: attachments.map(({ content }) => content.buffer as ArrayBuffer) }
  },
})

/** A view of the same bytes: what arrives in a thread has lost its methods. */
const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** In memory of its own, which can move to another thread: Node keeps small buffers together. */
function alone(attachment: ParsedAttachment): ParsedAttachment {
  const { content } = attachment
  if (content.length === content.buffer.byteLength) return attachment
  const copy = Buffer.allocUnsafeSlow(content.length)
  content.copy(copy)
  return { ...attachment, content: copy }
}
