import { relative } from 'node:path'
import fc from 'fast-check'
import { onTestFinished } from 'vitest'
import { writeLimits } from '../../src/features/limits/team-limits.ts'
import { ensureTeam } from '../../src/features/teams/queries.ts'
import { Database } from '../../src/kernel/db/database.ts'
import { fixedClock } from '../harness/clock.ts'
import { freshDatabase } from '../harness/database.ts'
import { CHECKOUT } from '../harness/program.ts'
import { actions } from './actions.ts'
import { holdTime } from './held-time.ts'
import { Play, type Stage } from './play.ts'
import { Sessions } from './sessions.ts'

/** Connections of its own: nothing else works on the database of this file, and no heartbeat of the service beats there. */
async function setStage(): Promise<Stage> {
  const config = await freshDatabase()
  const clock = fixedClock()
  const real = Database.connect(config, { clock })
  const [{ id: team }, { id: limitedTeam }] = [await ensureTeam(real, 'acme'), await ensureTeam(real, 'globex')]
  await writeLimits(real, limitedTeam, { emailsPerDay: 1_000 })
  await real.close()
  const sessions = await Sessions.open(config)
  onTestFinished(() => sessions.close())
  return { real, clock, sessions, team, limitedTeam }
}

/** As a failure prints it: the seed, and the run in it. Who repeats it has the time to look for a smaller one that fails. */
function seedOf(text: string | undefined): fc.Parameters<unknown> {
  if (!text) return { endOnFailure: true }
  const [seed, ...path] = text.split(':')
  return { seed: Number(seed), ...(path.length > 0 && { path: path.join(':') }) }
}

/** Runs of some actions in as many orders, and what was seen in them all together. A failure says the one line that repeats it. */
export async function playRuns({ runs, file }: { runs: number; file: string }) {
  const stage = await setStage()
  const seen: Record<string, number> = {}
  const property = fc.asyncProperty(fc.scheduler(), actions, async (scheduler, given) => {
    const release = holdTime()
    const play = new Play(stage, scheduler)
    try {
      await play.run(given)
      for (const [name, count] of Object.entries(play.world.seen)) seen[name] = (seen[name] ?? 0) + count
    } finally {
      release()
      await stage.sessions.cut()
    }
  })
  const result = await fc.check(property, { numRuns: runs, unbiased: true, ...seedOf(process.env.POSTWREN_TEST_SEED) })
  if (result.failed) {
    const { seed, counterexamplePath, errorInstance } = result
    const repeat = `POSTWREN_TEST_SEED=${seed}:${counterexamplePath} npx vitest run ${relative(CHECKOUT, file)}`
    throw new Error(`${repeat}\n${(errorInstance as Error).message}\n${fc.stringify(result.counterexample)}`, {
      cause: errorInstance,
    })
  }
  return seen
}
