// What other features and gateways use of this one.
export { deleteKeysOf, insertKey } from './queries.ts'
export { newToken } from './token.ts'
