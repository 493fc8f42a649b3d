import { createHmac } from 'node:crypto'

/** A keyed hash: it tells keys apart, and cannot be turned back into one. Without the secret nobody can try keys against it. */
export const hashKey = (secret: Uint8Array, key: string) => createHmac('sha256', secret).update(key).digest('hex')
