import { randomBytes } from 'node:crypto'

/**
 * `re_` as all clients expect, the cell where there are cells, eight characters that find the key, and 32 random bytes that prove it.
 */
export const newToken = ({ CELL }: { readonly CELL?: string | undefined } = {}) =>
  `re_${CELL === undefined ? '' : `${CELL}_`}${randomBytes(6).toString('base64url')}_${randomBytes(32).toString('base64url')}`
