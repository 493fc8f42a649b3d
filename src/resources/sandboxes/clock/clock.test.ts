import { expect, test } from 'vitest'
import { readEmail } from '../../../../test/harness/emails.ts'
import { startStage } from '../../../../test/harness/staged.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

/** A stage on which everything works by itself. */
async function start() {
  const stage = await startStage()
  await stage.app.startWorkers()
  return stage
}

test('a clock says what time it is, stands still and runs on', async () => {
  const { app, sandbox } = await start()
  const box = await sandbox()
  const real = app.clock.now().getTime()

  expect((await box.get('/clock')).body).toEqual({ object: 'clock', now: iso(real), is_frozen: false })
  const frozen = await box.patch('/clock', { is_frozen: true })
  expect(frozen.body).toMatchObject({ now: iso(real), is_frozen: true, is_complete: true, steps: 0, happened: [] })
  app.clock.advance(60)
  expect((await box.get('/clock')).body).toMatchObject({ now: iso(real), is_frozen: true })
  const ahead = await box.patch('/clock', { advance: '3 days' })
  expect(ahead.body).toMatchObject({ now: iso(real + 72 * HOUR), is_frozen: true, is_complete: true })
  await box.patch('/clock', { is_frozen: false })
  app.clock.advance(60)
  expect((await box.get('/clock')).body).toMatchObject({ now: iso(real + 72 * HOUR + MINUTE), is_frozen: false })
})

const iso = (ms: number) => new Date(ms).toISOString()

test('mail that is refused for three days is tried by the ladder, each time at its moment', async () => {
  const { app, sandbox } = await start()
  const box = await sandbox()
  const real = app.clock.now().getTime()
  await box.setScenario({ rules: [{ match: {}, outcome: { reply: '450 4.2.0 try later' } }] })
  const id = await box.mail()

  const begun = performance.now()
  const { body } = await box.patch('/clock', { advance: '72 hours' })
  console.log(performance.now() - begun, body.steps)

  const email = await readEmail(box, id)
  console.log(JSON.stringify(body.happened), email.deliveries[0].replies.map(({ at }: { at: string }) => (Date.parse(at) - real) / HOUR))
})
