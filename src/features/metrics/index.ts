// What other features and gateways use of this one.
export { requestBackfill } from './backfill.ts'
export { foldEvents } from './fold.ts'
export { deleteFacts } from './removal.ts'
