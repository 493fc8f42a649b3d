import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { LANE_TEAMS, replayAll } from './replay.ts'
import { generateTraces, quint } from './traces.ts'

const MINUTES_MS = 60_000
/** Quint keeps all traces of a run in memory. */
const TRACES_OF_A_RUN = 500
/** Quint takes 10 s of CPU to start and some 2 ms for each step, more than the replay does: so it has both cores. */
const RUNS_AT_ONCE = 2
const ROUNDS = process.env.POSTWREN_TEST_NIGHT ? 4 : 1
const STEPS = 40

/** Made from a seed that a failure tells. */
async function generate() {
  const options = { count: TRACES_OF_A_RUN, steps: STEPS, seed: randomInt(1, 2 ** 31) }
  return { options, traces: await generateTraces(options) }
}

test('the stories of the model come out as they are told', async () => {
  expect(await quint('test', ['--main=postwren', '--max-samples=1'])).toContain('9 passing')
})

test.each(['withoutFence', 'withoutClaimCheck', 'withoutLeaseOrder'])(
  'a promise breaks in the model %s',
  async (main) => {
    expect(await quint('test', [`--main=${main}`, '--match=breaks', '--max-samples=1'])).toContain('1 passing')
  },
)

test(
  'a thousand new traces keep the promises, and the ledger does what they do',
  async () => {
    const { db, as } = await startApp()
    const teams = await Promise.all(LANE_TEAMS.map(async (name) => (await as(name)).team))
    for (let round = 0; round < ROUNDS; round++) {
      const runs = await Promise.all(Array.from({ length: RUNS_AT_ONCE }, generate))
      for (const { options, traces } of runs) {
        expect(traces).toHaveLength(TRACES_OF_A_RUN)
        await replayAll(traces, { db, teams }).catch((error) => {
          error.message = `generateTraces(${JSON.stringify(options)}), ${error.message}`
          throw error
        })
      }
    }
  },
  20 * MINUTES_MS,
)
