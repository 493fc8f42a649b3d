import { endpoint } from '../../definitions.ts'
import { requireSandbox } from '../actions.ts'
import { readScenario, writeScenario } from './actions.ts'
import { Scenario, ShownScenario } from './schema.ts'

export const scenarioEndpoints = [
  endpoint({
    id: 'scenario.get',
    route: 'GET /scenario',
    summary: 'Retrieve the scenario of a sandbox',
    reply: ShownScenario,
    run: async ({ services, actor }) => readScenario(services, requireSandbox(actor)),
  }),
  endpoint({
    id: 'scenario.set',
    route: 'PUT /scenario',
    summary: 'Set the scenario of a sandbox',
    description:
      'What the outside world does to its mail, webhooks and logins. Of the rules, the first that fits counts. It takes the place of the scenario before it, and counts for all that is tried afterwards.',
    audited: false,
    body: Scenario,
    reply: ShownScenario,
    async run({ services, actor, body }) {
      const sandbox = requireSandbox(actor)
      await writeScenario(services, sandbox, body)
      return readScenario(services, sandbox)
    },
  }),
]
