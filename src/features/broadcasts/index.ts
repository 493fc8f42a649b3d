// What other features and gateways use of this one.
export { changeBroadcastWithin } from './actions.ts'
export { findBroadcast, lockBroadcast, markUnsubscribed } from './queries.ts'
export type { BroadcastsServices } from './services.ts'
