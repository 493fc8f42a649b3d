import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { LANE_TEAMS, replayAll } from './replay.ts'
import { generateTraces, quint } from './traces.ts'

const MINUTES_MS = 60_000
/** Quint keeps all traces of a run in memory. */
const TRACES_OF_A_RUN = 500
const RUNS = 4

test('the stories of the model come out as they are told', async () => {
  expect(await quint('test', ['--main=postwren', '--max-samples=1'])).toContain('7 passing')
})

test.each(['withoutFence', 'withoutClaimCheck', 'withoutLeaseOrder'])(
  'a promise breaks in the model %s',
  async (main) => {
    expect(await quint('test', [`--main=${main}`, '--match=breaks', '--max-samples=1'])).toContain('1 passing')
  },
)

test(
  'thousands of traces keep the promises, and the ledger does what they do',
  async () => {
    const { db, as } = await startApp()
    const teams = await Promise.all(LANE_TEAMS.map(async (name) => (await as(name)).team))
    for (let run = 0; run < RUNS; run++) {
      const seed = randomInt(1, 2 ** 31)
      const traces = await generateTraces({ count: TRACES_OF_A_RUN, steps: 50, seed })
      expect(traces).toHaveLength(TRACES_OF_A_RUN)
      await replayAll(traces, { db, teams }).catch((error) => {
        error.message = `generateTraces({ count: ${TRACES_OF_A_RUN}, steps: 50, seed: ${seed} }), ${error.message}`
        throw error
      })
    }
  },
  20 * MINUTES_MS,
)
