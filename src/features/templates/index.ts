// What other features and gateways use of this one.
export { renderTemplate, requirePublished, statesOfTemplates } from './actions.ts'
export type { PublishedTemplate } from './queries.ts'
export { fill } from './render.ts'
