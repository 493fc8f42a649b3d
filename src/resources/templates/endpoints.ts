import { endpoint } from '../../http/endpoint.ts'
import { list } from '../../http/list.ts'
import { found } from '../../http/problem.ts'
import { deletion, reference } from '../../http/shapes.ts'
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
  TemplateItem,
  TemplateParams,
  TemplateReference,
  TemplateVersion,
  TemplateVersionItem,
  TemplateVersionParams,
  UpdateTemplate,
} from './schema.ts'

export const templateEndpoints = [
  endpoint({
    id: 'templates.create',
    route: 'POST /templates',
    summary: 'Create a template, as a draft',
    status: 201,
    body: CreateTemplate,
    reply: TemplateReference,
    run: async ({ body, context }) => reference('template', await addTemplate(context, body)),
  }),
  list({
    id: 'templates.list',
    route: 'GET /templates',
    summary: 'List templates',
    item: TemplateItem,
    unlimited: 20,
    rows: ({ context }) => templateRows(context.team),
  }),
  endpoint({
    id: 'templates.get',
    route: 'GET /templates/:idOrAlias',
    summary: 'Retrieve a template as it was written last',
    params: TemplateParams,
    reply: Template,
    run: async ({ params, context: { db, team } }) =>
      found(await findTemplate(db, team, templateNamed(params.idOrAlias)), 'Template'),
  }),
  endpoint({
    id: 'templates.update',
    route: 'PATCH /templates/:idOrAlias',
    summary: 'Update a template; what is published stays until it is published again',
    params: TemplateParams,
    body: UpdateTemplate,
    reply: TemplateReference,
    run: async ({ params, body, context }) =>
      reference('template', await changeTemplate(context, params.idOrAlias, body)),
  }),
  endpoint({
    id: 'templates.remove',
    route: 'DELETE /templates/:idOrAlias',
    summary: 'Delete a template',
    params: TemplateParams,
    reply: DeletedTemplate,
    run: async ({ params, context }) => deletion('template', await removeTemplate(context, params.idOrAlias)),
  }),
  endpoint({
    id: 'templates.publish',
    route: 'POST /templates/:idOrAlias/publish',
    summary: 'Publish a template: emails are made of it from now on',
    params: TemplateParams,
    reply: TemplateReference,
    run: async ({ params, context }) => reference('template', await publishTemplate(context, params.idOrAlias)),
  }),
  endpoint({
    id: 'templates.duplicate',
    route: 'POST /templates/:idOrAlias/duplicate',
    summary: 'Make a draft with the content of a template',
    params: TemplateParams,
    reply: TemplateReference,
    run: async ({ params, context }) => reference('template', await duplicateTemplate(context, params.idOrAlias)),
  }),
  list({
    id: 'templates.versions.list',
    route: 'GET /templates/:idOrAlias/versions',
    summary: 'List the versions of a template: what was published, and what is being written',
    params: TemplateParams,
    item: TemplateVersionItem,
    unlimited: 20,
    async rows({ params, context: { db, team } }) {
      const which = templateNamed(params.idOrAlias)
      found(await findTemplate(db, team, which), 'Template')
      return versionRows(team, which)
    },
  }),
  endpoint({
    id: 'templates.versions.get',
    route: 'GET /templates/:idOrAlias/versions/:versionId',
    summary: 'Retrieve a version of a template',
    params: TemplateVersionParams,
    reply: TemplateVersion,
    run: async ({ params, context: { db, team } }) =>
      found(await findVersion(db, team, templateNamed(params.idOrAlias), params.versionId), 'Template version'),
  }),
  endpoint({
    id: 'templates.versions.restore',
    route: 'POST /templates/:idOrAlias/versions/:versionId/restore',
    summary: 'Take an earlier version up again; publish it when it should count',
    params: TemplateVersionParams,
    reply: TemplateReference,
    run: async ({ params, context }) =>
      reference('template', await restoreVersion(context, params.idOrAlias, params.versionId)),
  }),
]
