// What other features and gateways use of this one.
export { findForwardingTeam } from './queries.ts'
