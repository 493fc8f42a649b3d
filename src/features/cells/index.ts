export { adoptCellKeys, keepCellKeys, keepDigestKey } from './keys.ts'
export * as moves from './queries.ts'
