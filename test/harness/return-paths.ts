import { createHmac } from 'node:crypto'

/** A return path as it was when all recipients of an email shared one. Mail with such a sender may still bounce. */
export function sharedReturnPath({ emailId, domain }: { emailId: string; domain: string }, secret: Buffer): string {
  const id = emailId.replaceAll('-', '')
  const signature = createHmac('sha256', secret).update(`return-path:${id}`).digest('hex').slice(0, 20)
  return `bounce+${id}-${signature}@${domain}`
}
