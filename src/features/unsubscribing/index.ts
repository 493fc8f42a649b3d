// What other features and gateways use of this one.
export { unsubscribeWithOneClick } from './actions.ts'
