import { randomBytes } from 'node:crypto'

/** `re_` as all clients expect, eight characters that find the key, and 32 random bytes that prove it. */
export const newToken = () => `re_${randomBytes(6).toString('base64url')}_${randomBytes(32).toString('base64url')}`
