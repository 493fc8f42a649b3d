import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { LANE_TEAMS, replayAll } from './replay.ts'
import { generateTraces, quint } from './traces.ts'

const MINUTES_MS = 60_000
/** Quint keeps all traces of a run in memory, and takes some 2 ms of CPU for each step: it makes those of the next run while these are replayed. */
const TRACES_OF_A_RUN = 250
const RUNS = process.env.POSTWREN_TEST_NIGHT ? 16 : 4
const STEPS = 40

/** Made from a seed that a failure tells. */
function generate() {
  const options = { count: TRACES_OF_A_RUN, steps: STEPS, seed: randomInt(1, 2 ** 31) }
  const traces = generateTraces(options)
  traces.catch(() => {})
  return { options, traces }
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
    let next = generate()
    for (let run = 0; run < RUNS; run++) {
      const { options, traces: made } = next
      const traces = await made
      if (run < RUNS - 1) next = generate()
      expect(traces).toHaveLength(TRACES_OF_A_RUN)
      await replayAll(traces, { db, teams }).catch((error) => {
        error.message = `generateTraces(${JSON.stringify(options)}), ${error.message}`
        throw error
      })
    }
  },
  20 * MINUTES_MS,
)
