import { endpoint } from '../../definitions.ts'
import { notYet } from '../../not-yet.ts'
import { Scenario, ShownScenario } from './schema.ts'

export const scenarioEndpoints = [
  endpoint({
    id: 'scenario.get',
    route: 'GET /scenario',
    summary: 'Retrieve the scenario of a sandbox',
    reply: ShownScenario,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'scenario.set',
    route: 'PUT /scenario',
    summary: 'Set the scenario of a sandbox',
    description:
      'What the outside world does to its mail, webhooks and logins. Of the rules, the first that fits counts.',
    audited: false,
    body: Scenario,
    reply: ShownScenario,
    run: async () => notYet(),
  }),
]
