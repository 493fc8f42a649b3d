import { found } from '../../kernel/http/problem.ts'
import { IdParams, reference } from '../../kernel/http/shapes.ts'
import { endpoint, referenceAfter } from '../definitions.ts'
import { changeSettings, replaceSteps, testAutomation } from './actions.ts'
import { presentCounters } from './counters.ts'
import { findCounters, findSettings } from './queries.ts'
import {
  AutomationNumbers,
  AutomationReference,
  AutomationSettings,
  ReplaceSteps,
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
    id: 'automations.steps.replace',
    route: 'PUT /automations/:id/steps',
    summary: 'Replace the steps of an automation',
    description:
      'Also of an enabled automation, which stays enabled. Active runs finish with the steps they started with. If the steps are refused, nothing changes.',
    params: IdParams,
    body: ReplaceSteps,
    reply: AutomationReference,
    run: referenceAfter('automation', replaceSteps),
  }),
  endpoint({
    id: 'automations.numbers',
    route: 'GET /automations/:id/numbers',
    summary: 'Retrieve the metrics of an automation',
    description: 'How often each step and each connection was reached. Test runs do not count.',
    params: IdParams,
    reply: AutomationNumbers,
    run: async ({ params, services: { db }, actor: { team } }) =>
      presentCounters(params.id, found(await findCounters(db, team, params.id), 'Automation')),
  }),
  endpoint({
    id: 'automations.test',
    route: 'POST /automations/:id/test',
    summary: 'Start a test run of an automation',
    description:
      'Starts a run with a sample event. Delays are skipped, nothing is changed, and all emails go to one address.',
    status: 202,
    params: IdParams,
    body: TestAutomation,
    reply: RunReference,
    run: async ({ params, body, services, actor }) =>
      reference('automation_run', await testAutomation(services, actor, params.id, body)),
  }),
]
