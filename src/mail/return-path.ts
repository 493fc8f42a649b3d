import { createHmac, timingSafeEqual } from 'node:crypto'

// Bounces come back to where the message says, from anybody who feels like it: only what we signed is about an email of ours.
const LOCAL_PART = /^(?:bounce\+|b\+[a-z][a-z0-9]{0,7}-)([0-9a-f]{32})-([0-9a-f]{20})$/

/**
 * Where bounces of this email go to: `bounce+<the id>-<its signature>@domain`, 60 of the 64 characters that fit. With a cell it is
 * `b+<cell>-<the id>-<its signature>`, so that whoever routes mail can go by it; the longest name of a cell takes the last character.
 */
export function returnPath(
  { emailId, domain, cell }: { emailId: string; domain: string; cell?: string | null | undefined },
  secret: Buffer,
): string {
  const id = emailId.replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(id)) throw new Error('The id of an email is a UUID')
  return `${cell ? `b+${cell}-` : 'bounce+'}${id}-${signatureOf(id, secret).toString('hex')}@${domain}`
}

/**
 * Which email a bounce is about, or null when the address is not one of ours. Servers may change the case, and nothing else:
 * BATV and SRS put their marks on addresses of the domain that adds them, and take them off before a bounce goes on to us.
 */
export function readReturnPath(localPart: string, secrets: readonly Buffer[]): { emailId: string } | null {
  const [, id, signature] = (localPart.length <= 64 && LOCAL_PART.exec(localPart.toLowerCase())) || []
  if (id === undefined || signature === undefined) return null
  const given = Buffer.from(signature, 'hex')
  if (!secrets.some((secret) => timingSafeEqual(given, signatureOf(id, secret)))) return null
  return { emailId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') }
}

/** 80 bits: guessing one takes more mail than there is. The prefix keeps it from being a signature of anything else. */
function signatureOf(id: string, secret: Buffer): Buffer {
  return createHmac('sha256', secret).update(`return-path:${id}`).digest().subarray(0, 10)
}
