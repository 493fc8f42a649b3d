// What other features and gateways use of this one.
export { renderTemplate, requirePublished, statesOfTemplates, templateNamed, writeTemplateContent } from './actions.ts'
export { findTemplate, lockTemplate, type PublishedTemplate } from './queries.ts'
export { fill } from './render.ts'
