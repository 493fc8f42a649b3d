import { found } from '../../kernel/http/problem.ts'
import { IdParams, reference } from '../../kernel/http/shapes.ts'
import { endpoint } from '../definitions.ts'
import { changeSettings, testAutomation } from './actions.ts'
import { presentNumbers } from './numbers.ts'
import { findNumbers, findSettings } from './queries.ts'
import {
  AutomationNumbers,
  AutomationSettings,
  RunReference,
  TestAutomation,
  UpdateAutomationSettings,
} from './schema.ts'

/** What other clients do not know of. */
export const automationExtraEndpoints = [
  endpoint({
    id: 'automations.settings.get',
    route: 'GET /automations/:id/settings',
    summary: 'Retrieve the settings of an automation',
    params: IdParams,
    reply: AutomationSettings,
    run: async ({ params, services: { db }, actor: { team } }) =>
      found(await findSettings(db, team, params.id), 'Automation'),
  }),
  endpoint({
    id: 'automations.settings.update',
    route: 'PATCH /automations/:id/settings',
    summary: 'Update the settings of an automation',
    params: IdParams,
    body: UpdateAutomationSettings,
    reply: AutomationSettings,
    async run({ params, body, services, actor }) {
      await changeSettings(services, actor, params.id, body)
      return found(await findSettings(services.db, actor.team, params.id), 'Automation')
    },
  }),
  endpoint({
    id: 'automations.numbers',
    route: 'GET /automations/:id/numbers',
    summary: 'Retrieve the numbers of an automation',
    description: 'How often each step and each connection was reached. Test runs do not count.',
    params: IdParams,
    reply: AutomationNumbers,
    run: async ({ params, services: { db }, actor: { team } }) =>
      presentNumbers(params.id, found(await findNumbers(db, team, params.id), 'Automation')),
  }),
  endpoint({
    id: 'automations.test',
    route: 'POST /automations/:id/test',
    summary: 'Try an automation out',
    description:
      'Starts a run with a made-up event. It waits for nothing, changes nothing, and its emails go to one address.',
    status: 202,
    params: IdParams,
    body: TestAutomation,
    reply: RunReference,
    run: async ({ params, body, services, actor }) =>
      reference('automation_run', await testAutomation(services, actor, params.id, body)),
  }),
]
