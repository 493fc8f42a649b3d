import { found } from '../../kernel/http/problem.ts'
import { deletion, reference } from '../../kernel/http/shapes.ts'
import { searchRows } from '../../kernel/search/list.ts'
import { endpoint, list } from '../definitions.ts'
import {
  addTemplate,
  changeTemplate,
  duplicateTemplate,
  publishTemplate,
  removeTemplate,
  restoreVersion,
  templateNamed,
} from './actions.ts'
import { findTemplate, findVersion, templateRows, versionRows } from './queries.ts'
import {
  CreateTemplate,
  DeletedTemplate,
  Template,
  TemplateFilter,
  TemplateItem,
  TemplateParams,
  TemplateReference,
  TemplateVersion,
  TemplateVersionItem,
  TemplateVersionParams,
  UpdateTemplate,
} from './schema.ts'
import { templateSearch } from './search.ts'

export const templateEndpoints = [
  endpoint({
    id: 'templates.create',
    route: 'POST /templates',
    summary: 'Create a template',
    status: 201,
    body: CreateTemplate,
    reply: TemplateReference,
    run: async ({ body, services, actor }) => reference('template', await addTemplate(services, actor, body)),
  }),
  list({
    id: 'templates.list',
    route: 'GET /templates',
    summary: 'List templates',
    item: TemplateItem,
    query: TemplateFilter,
    unlimited: 20,
    rows: ({ query: { q }, window, services: { db }, actor: { team } }) =>
      searchRows(db, team, { searchable: templateSearch, q, rows: templateRows(team), window }),
  }),
  endpoint({
    id: 'templates.get',
    route: 'GET /templates/:idOrAlias',
    summary: 'Retrieve a template',
    description: 'With the latest content, published or not.',
    params: TemplateParams,
    reply: Template,
    run: async ({ params, services: { db }, actor: { team } }) =>
      found(await findTemplate(db, team, templateNamed(params.idOrAlias)), 'Template'),
  }),
  endpoint({
    id: 'templates.update',
    route: 'PATCH /templates/:idOrAlias',
    summary: 'Update a template',
    description: 'The published version stays in use until the template is published again.',
    params: TemplateParams,
    body: UpdateTemplate,
    reply: TemplateReference,
    run: async ({ params, body, services, actor }) =>
      reference('template', await changeTemplate(services, actor, params.idOrAlias, body)),
  }),
  endpoint({
    id: 'templates.remove',
    route: 'DELETE /templates/:idOrAlias',
    summary: 'Delete a template',
    params: TemplateParams,
    reply: DeletedTemplate,
    run: async ({ params, services, actor }) =>
      deletion('template', await removeTemplate(services, actor, params.idOrAlias)),
  }),
  endpoint({
    id: 'templates.publish',
    route: 'POST /templates/:idOrAlias/publish',
    summary: 'Publish a template',
    description: 'New emails use this content.',
    params: TemplateParams,
    reply: TemplateReference,
    run: async ({ params, services, actor }) =>
      reference('template', await publishTemplate(services, actor, params.idOrAlias)),
  }),
  endpoint({
    id: 'templates.duplicate',
    route: 'POST /templates/:idOrAlias/duplicate',
    summary: 'Duplicate a template',
    description: 'Creates a draft with the same content.',
    params: TemplateParams,
    reply: TemplateReference,
    run: async ({ params, services, actor }) =>
      reference('template', await duplicateTemplate(services, actor, params.idOrAlias)),
  }),
  list({
    id: 'templates.versions.list',
    route: 'GET /templates/:idOrAlias/versions',
    summary: 'List the versions of a template',
    description: 'Published versions and the current draft.',
    params: TemplateParams,
    item: TemplateVersionItem,
    unlimited: 20,
    async rows({ params, services: { db }, actor: { team } }) {
      const template = templateNamed(params.idOrAlias)
      found(await findTemplate(db, team, template), 'Template')
      return versionRows(team, template)
    },
  }),
  endpoint({
    id: 'templates.versions.get',
    route: 'GET /templates/:idOrAlias/versions/:versionId',
    summary: 'Retrieve a version of a template',
    params: TemplateVersionParams,
    reply: TemplateVersion,
    async run({ params, services: { db }, actor: { team } }) {
      const ref = { template: templateNamed(params.idOrAlias), version: params.versionId }
      return found(await findVersion(db, team, ref), 'Template version')
    },
  }),
  endpoint({
    id: 'templates.versions.restore',
    route: 'POST /templates/:idOrAlias/versions/:versionId/restore',
    summary: 'Restore a version of a template',
    description: 'Its content becomes the draft; publish to use it.',
    params: TemplateVersionParams,
    reply: TemplateReference,
    run: async ({ params, services, actor }) =>
      reference('template', await restoreVersion(services, actor, params.idOrAlias, params.versionId)),
  }),
]
