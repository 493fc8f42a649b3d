import { expect, test } from 'vitest'
import { startStage } from '../../../../test/harness/staged.ts'
import { advance } from './advance.ts'
import { step } from './step.ts'
import { Wakeups } from './wakeups.ts'
import { withClock } from './with-clock.ts'

const DAY = 86_400_000

test('a step whose answer was lost has been taken, and is not taken again', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  await box.mail({ scheduled_at: 'in 1 hour' })

  await withClock(app.services, box, async (taken) => {
    const target = new Date(taken.now.getTime() + DAY)
    const first = await step(app.services, taken, { target, mayMove: true })
    const again = await step(app.services, taken, { target, mayMove: true })

    expect(first).toMatchObject({ kind: 'moved', channels: ['deliveries'] })
    expect(again).toMatchObject({ kind: 'moved', clock: 'clock' in first && first.clock })
    expect('channels' in again && again.channels).toContain('deliveries')
    expect(app.clock.of(box.team).now().getTime() - taken.now.getTime()).toBe(3_600_000)
  })
})

test('an advance in a process that stops says how far it got', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  await box.mail({ scheduled_at: 'in 1 hour' })

  await withClock(app.services, box, async (taken) => {
    const target = new Date(taken.now.getTime() + DAY)
    const parts = { target, withinMs: 50_000, wakeups: new Wakeups(app.db), stopping: AbortSignal.abort() }
    const { end, clock, steps } = await advance(app.services, taken, parts)

    expect([end, clock.now, steps]).toEqual(['out_of_time', taken.now, 0])
  })
})

test('while it is in hand and stands still, its time is known without asking', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  const asks = () => app.db.forTeams([box.team]) !== app.db

  await withClock(app.services, box, async (taken) => {
    expect(asks()).toBe(true)
    await step(app.services, taken, { target: taken.now, mayMove: true })
    expect(asks()).toBe(false)
  })

  expect(asks()).toBe(true)
})
