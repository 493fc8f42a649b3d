// What other features and gateways use of this one.
export { markUnsubscribed } from './queries.ts'
