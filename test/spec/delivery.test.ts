import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { LANE_TEAMS, replayAll } from './replay.ts'
import { readTraces } from './stored-traces.ts'
import { modelHash } from './traces.ts'

const { model, traces } = readTraces()

test('the stored traces are of the model as it is: node scripts/run.mjs scripts/delivery-traces.ts', () => {
  expect(model).toBe(modelHash())
  const names = new Set(traces.flatMap((trace) => trace.map(({ name }) => name)))
  expect([...names].sort()).toEqual([
    ...['accept', 'acceptHeld', 'acceptHeldUnanswered', 'acknowledge', 'begin', 'claim', 'claimUnanswered', 'crash'],
    ...['end', 'expire', 'giveUp'],
    ...['hear', 'lapse', 'loseAnswer', 'rejoin', 'releaseUnknown', 'renew', 'settle', 'settleUnanswered', 'start'],
    'takeOver',
  ])
})

test('the ledger does what the model does, step by step', async () => {
  const { db, as } = await startApp()
  const teams = await Promise.all(LANE_TEAMS.map(async (name) => (await as(name)).team))

  await replayAll(traces, { db, teams })
})
