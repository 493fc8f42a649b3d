// What other features and gateways use of this one.

export { markMessages, requireMessage } from './actions.ts'
export { removeNames } from './expiry.ts'
export * as files from './files.ts'
export { type Item, itemsOf } from './items.ts'
export * as labels from './labels.ts'
export * as match from './match.ts'
export * as newest from './newest.ts'
export type { WholeMessage } from './present.ts'
export { findExtents, findHeads, type StoredFile } from './queries.ts'
export { releaseMessage } from './release.ts'
export * as removal from './removal.ts'
