// What other features and gateways use of this one.
export { enterSandbox } from './actions.ts'
