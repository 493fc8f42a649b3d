// What other features and gateways use of this one.
export { type JudgedVisit, recordVisits } from './actions.ts'
