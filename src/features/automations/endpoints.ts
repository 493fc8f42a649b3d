import { found } from '../../kernel/http/problem.ts'
import { IdParams, reference } from '../../kernel/http/shapes.ts'
import { deletionAfter, endpoint, list, referenceAfter } from '../definitions.ts'
import { addAutomation, changeAutomation, duplicateAutomation, removeAutomation, stopAutomation } from './actions.ts'
import { automationRows, findAutomation } from './queries.ts'
import {
  Automation,
  AutomationItem,
  AutomationQuery,
  AutomationReference,
  CreateAutomation,
  DeletedAutomation,
  StoppedAutomation,
  UpdateAutomation,
} from './schema.ts'

export const automationEndpoints = [
  endpoint({
    id: 'automations.create',
    route: 'POST /automations',
    summary: 'Create an automation',
    status: 201,
    body: CreateAutomation,
    reply: AutomationReference,
    run: async ({ body, services, actor }) => reference('automation', await addAutomation(services, actor, body)),
  }),
  list({
    id: 'automations.list',
    route: 'GET /automations',
    summary: 'List automations',
    query: AutomationQuery,
    item: AutomationItem,
    unlimited: 20,
    rows: ({ query, actor }) => automationRows(actor.team, query),
  }),
  endpoint({
    id: 'automations.get',
    route: 'GET /automations/:id',
    summary: 'Retrieve an automation',
    params: IdParams,
    reply: Automation,
    run: async ({ params, services: { db }, actor: { team } }) =>
      found(await findAutomation(db, team, params.id), 'Automation'),
  }),
  endpoint({
    id: 'automations.update',
    route: 'PATCH /automations/:id',
    summary: 'Update an automation',
    description:
      'Name, status, or steps and connections together. Steps can be changed while it is disabled. Runs that have begun finish as it was.',
    params: IdParams,
    body: UpdateAutomation,
    reply: AutomationReference,
    run: referenceAfter('automation', changeAutomation),
  }),
  endpoint({
    id: 'automations.remove',
    route: 'DELETE /automations/:id',
    summary: 'Delete an automation',
    description: 'Its runs end, and are deleted with it.',
    params: IdParams,
    reply: DeletedAutomation,
    run: deletionAfter('automation', removeAutomation),
  }),
  endpoint({
    id: 'automations.duplicate',
    route: 'POST /automations/:id/duplicate',
    summary: 'Duplicate an automation',
    description: 'Creates a disabled one with the same steps and settings.',
    status: 201,
    params: IdParams,
    reply: AutomationReference,
    run: async ({ params, services, actor }) =>
      reference('automation', await duplicateAutomation(services, actor, params.id)),
  }),
  endpoint({
    id: 'automations.stop',
    route: 'POST /automations/:id/stop',
    summary: 'Stop an automation',
    description: 'Disables it and cancels its runs. To let them finish, set its status to `disabled`.',
    params: IdParams,
    reply: StoppedAutomation,
    async run({ params, services, actor }) {
      await stopAutomation(services, actor, params.id)
      return { ...reference('automation', params.id), status: 'disabled' as const }
    },
  }),
]
