import type { Static } from 'typebox'
import type { Services } from '../../services.ts'
import { findScenario } from '../simulation/scenario-store.ts'
import { checkScenario } from './check.ts'
import type { Scenario, ShownScenario } from './schema.ts'

/** The scenario of a team: of a sandbox, or, where nothing leaves, of any. */
export async function readScenario({ db }: Pick<Services, 'db'>, team: string): Promise<Static<typeof ShownScenario>> {
  const { rules = [], webhooks = [], smtp = {} } = (await findScenario(db, team)) as Scenario
  return { object: 'scenario', rules, webhooks, smtp }
}

/** Takes the place of the scenario before it, and begins a new story. It counts for everything that is tried afterwards. */
export async function writeScenario(
  { scenarios }: Pick<Services, 'scenarios'>,
  team: string,
  scenario: Scenario,
): Promise<void> {
  checkScenario(scenario)
  const { rules = [], webhooks = [], smtp = {} } = scenario
  await scenarios.save(team, { rules, webhooks, smtp })
}
