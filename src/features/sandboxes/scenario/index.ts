// What other features and gateways use of this one.
export { readScenario, writeScenario } from './actions.ts'
