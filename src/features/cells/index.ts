export { keepCellKeys } from './keys.ts'
export * as moves from './queries.ts'
