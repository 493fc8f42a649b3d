// What other features and gateways use of this one.
export { requireTopics } from './actions.ts'
export { findTopicsNamed } from './queries.ts'
