// What other features and gateways use of this one.
export { ensureProperties, resolveProperties, typesOfProperties } from './actions.ts'
