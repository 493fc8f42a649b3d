import { createHmac, type KeyObject } from 'node:crypto'

/**
 * The headers of one attempt. Every key signs, so that a receiver may know any of them. Both families of names are sent: Svix's are
 * what users of the SDK look at, and libraries of Standard Webhooks know only their own.
 */
export function signedHeaders(
  { id, sentAt, body }: { id: string; sentAt: Date; body: string | Buffer },
  keys: readonly KeyObject[],
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000))
  const head = `${id}.${timestamp}.`
  const signature = keys
    .map((key) => `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`)
    .join(' ')
  return {
    'svix-id': id,
    'svix-timestamp': timestamp,
    'svix-signature': signature,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  }
}
