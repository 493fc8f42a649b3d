import type { Database } from '../../../kernel/db/database.ts'
import { Batcher } from '../../../platform/concurrency/batcher.ts'
import { groupBy } from '../../../platform/group-by.ts'
import { type Numbers, numberRecipients } from './numbering.ts'
import { type CompiledRule, compileRules, needsNumbers } from './rules.ts'
import type { LoadedScenario, Scenario } from './scenario.ts'
import { readScenarios, saveScenario } from './scenario-store.ts'

export interface ReadyScenario extends LoadedScenario {
  readonly compiled: readonly CompiledRule[]
}

/** A scenario, and where the recipients of an email stand in it. */
export interface Staged {
  readonly scenario: ReadyScenario
  readonly numbers: Numbers
}

interface Question {
  readonly team: string
  /** Null: only the scenario is wanted. */
  readonly emailId: string | null
}

const LIMITS = { maxItems: 200, maxWrites: 3 }
/** Of 100 kB at most, and three times as much when it is ready. */
const MAX_CACHED_SCENARIOS = 100
/** As long as a key is. */
const CACHE_TTL_MS = 800
const NO_NUMBERS: Numbers = new Map()

/**
 * The scenarios of teams. Each question is a look at the database, shared by all that ask at the same time, so that a change counts
 * for everything that is asked after it, in every process. What was read once is not read again while its version is the same.
 */
export class Scenarios {
  readonly #db: Database
  readonly #known = new Map<string, ReadyScenario>()
  readonly #absentUntil = new Map<string, number>()
  readonly #batcher: Batcher<Question, Staged | null>

  constructor(db: Database) {
    this.#db = db
    this.#batcher = new Batcher((questions) => this.#answer(questions), LIMITS)
  }

  /** Null: the team has none. */
  async of(team: string): Promise<ReadyScenario | null> {
    return (await this.#batcher.add({ team, emailId: null }))?.scenario ?? null
  }

  /** The same, for teams that hardly ever have one and are asked about often: that there was none is believed for a moment. */
  async ofOrdinary(team: string): Promise<ReadyScenario | null> {
    if ((this.#absentUntil.get(team) ?? 0) > performance.now()) return null
    const scenario = await this.of(team)
    if (!scenario) this.#absentUntil.set(team, performance.now() + CACHE_TTL_MS)
    if (this.#absentUntil.size > MAX_CACHED_SCENARIOS) this.#absentUntil.delete(this.#absentUntil.keys().next().value!)
    return scenario
  }

  /** What is set here counts here at once. */
  async save(team: string, scenario: Scenario): Promise<void> {
    await saveScenario(this.#db, team, scenario)
    this.#absentUntil.delete(team)
  }

  ofEmail({ team, id }: { team: string; id: string }): Promise<Staged | null> {
    return this.#batcher.add({ team, emailId: id })
  }

  async #answer(questions: readonly Question[]): Promise<(Staged | null)[]> {
    const byTeam = groupBy(questions, ({ team }) => team)
    const scenarios = await this.#read([...byTeam.keys()])
    const staged = new Map<string, Staged>()
    for (const [team, scenario] of scenarios) {
      const emailIds = byTeam.get(team)!.flatMap(({ emailId }) => emailId ?? [])
      const one = await this.#stage(scenario, [...new Set(emailIds)])
      if (one) staged.set(team, one)
    }
    return questions.map(({ team }) => staged.get(team) ?? null)
  }

  async #read(teams: readonly string[]): Promise<Map<string, ReadyScenario>> {
    const known = new Map(teams.map((team) => [team, this.#known.get(team)]))
    const asked = teams.map((team) => ({ team, version: known.get(team)?.version ?? null }))
    const found = new Map<string, ReadyScenario>()
    for (const { scenario, ...rest } of await readScenarios(this.#db, asked)) {
      const ready = scenario ? { ...scenario, ...rest, compiled: compileRules(scenario) } : known.get(rest.team)!
      found.set(rest.team, this.#cache(ready))
    }
    return found
  }

  #cache(scenario: ReadyScenario): ReadyScenario {
    this.#known.delete(scenario.team)
    this.#known.set(scenario.team, scenario)
    if (this.#known.size > MAX_CACHED_SCENARIOS) this.#known.delete(this.#known.keys().next().value!)
    return scenario
  }

  async #stage(scenario: ReadyScenario, emailIds: readonly string[]): Promise<Staged | null> {
    if (emailIds.length === 0 || !needsNumbers(scenario)) return { scenario, numbers: NO_NUMBERS }
    const rules = scenario.compiled
    const numbers = await numberRecipients(this.#db, { ...scenario, rules }, emailIds)
    if (numbers) return { scenario, numbers }
    // Set anew in this very moment: it is read again.
    const again = (await this.#read([scenario.team])).get(scenario.team)
    return again ? this.#stage(again, emailIds) : null
  }
}
