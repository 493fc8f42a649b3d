// What other features and gateways use of this one.
export { requireSegments } from './actions.ts'
export { findSegments, findSegmentsNamed } from './queries.ts'
