import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { readEmail } from '../../../../test/harness/emails.ts'
import { type StagedSandbox, startStage } from '../../../../test/harness/staged.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { momentOf } from '../../../platform/ids.ts'
import { withClock } from '../simulation/with-clock.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A stage on which everything works by itself, and a sandbox on it whose clock stands still. */
async function start() {
  const stage = await startStage()
  await stage.app.startWorkers()
  const box = await stage.sandbox()
  const { body } = await box.patch('/clock', { is_frozen: true })
  return { ...stage, box, t0: Date.parse(body.now) }
}

const iso = (ms: number) => new Date(ms).toISOString()
const timeOfId = (id: string) => momentOf(id).getTime()

/** What an advance did, as hours since the beginning, and types without what is in front of the point. */
const story = (happened: { at: string; type: string }[], t0: number) =>
  happened.map(({ at, type }) => [(Date.parse(at) - t0) / HOUR, type])

async function advance(box: StagedSandbox, by: string) {
  const reply = await box.patch('/clock', { advance: by })
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body.is_complete).toBe(true)
  return reply.body
}

test('a clock says what time it is, stands still and runs on', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  const real = app.clock.now().getTime()

  expect((await box.get('/clock')).body).toEqual({ object: 'clock', now: iso(real), is_frozen: false })
  const frozen = await box.patch('/clock', { is_frozen: true })
  expect(frozen.body).toMatchObject({ now: iso(real), is_frozen: true, is_complete: true, steps: 0, happened: [] })
  app.clock.advance(60)
  expect((await box.get('/clock')).body).toMatchObject({ now: iso(real), is_frozen: true })
  expect(await advance(box, '3 days')).toMatchObject({ now: iso(real + 3 * DAY), is_frozen: true })
  await box.patch('/clock', { is_frozen: false })
  app.clock.advance(60)
  expect((await box.get('/clock')).body).toMatchObject({ now: iso(real + 3 * DAY + MINUTE), is_frozen: false })
  const there = await box.patch('/clock', { to: iso(real + 9 * DAY), is_frozen: true })
  expect(there.body).toMatchObject({ now: iso(real + 9 * DAY), is_frozen: true, is_complete: true })
})

test('what cannot be done with a clock is refused, and changes nothing', async () => {
  const { app, acme, sandbox } = await startStage()
  const box = await sandbox()
  const refused = async (body: object) => {
    const reply = await box.patch('/clock', body)
    expect(reply.status).toBe(422)
    return reply.body.message
  }

  expect(await refused({})).toContain('`advance`')
  expect(await refused({ advance: '1 day', to: '2090-01-01T00:00:00Z' })).toContain('not both')
  expect(await refused({ advance: 'a while' })).toContain('3 days')
  expect(await refused({ advance: '-1 day' })).toContain('3 days')
  expect(await refused({ advance: '600 weeks' })).toContain('10 years')
  expect(await refused({ to: '2020-01-01T00:00:00Z' })).toContain('past')
  expect(await refused({ to: '2150-01-01T00:00:00Z' })).toContain('10 years')
  expect(await refused({ to: 'the day after never' })).toContain('ISO 8601')
  expect(await app.db.query(sql`select from sandbox_clocks where team_id = ${box.team}`)).toEqual([])
  expect((await acme.get('/clock')).body.message).toContain('Only available in a sandbox')
  expect((await acme.patch(`/sandboxes/${box.team}/clock`, { is_frozen: true })).status).toBe(200)
})

test('mail that is refused for three days is tried by the schedule, each time at its moment', async () => {
  const { app, box, t0 } = await start()
  await box.setScenario({ rules: [{ match: {}, outcome: { reply: '450 4.2.0 try later' } }] })
  // Not at once: a worker may be quicker than the call, and what was there before it did not happen on its way.
  const begin = t0 + HOUR
  const id = await box.mail({ scheduled_at: iso(begin) })

  const first = await advance(box, '3 hours')
  const underway = (await readEmail(box, id)).deliveries[0]
  const rest = await advance(box, '70 hours')

  const schedule = [0, 1, 6, 21, 51, 111, 231, 471].map((minutes) => minutes * MINUTE)
  while (schedule.at(-1)! + 6 * HOUR < 72 * HOUR) schedule.push(schedule.at(-1)! + 6 * HOUR)
  const email = await readEmail(box, id)
  expect(email.deliveries[0].replies.map(({ at }: { at: string }) => Date.parse(at) - begin)).toEqual(schedule)
  expect(Date.parse(underway.next_attempt_at) - begin).toBe(231 * MINUTE)
  expect(email.timeline).toEqual(['scheduled', 'sent', 'delivery_delayed', 'bounced'])
  expect(story(first.happened, begin)).toEqual([
    [0, 'email.sent'],
    [0, 'email.delivery_delayed'],
  ])
  expect([first.steps, first.has_more]).toEqual([6, false])
  expect(rest.steps).toBe(schedule.length - 6)
  expect(rest.happened).toEqual([
    {
      at: iso(begin + schedule.at(-1)!),
      type: 'email.bounced',
      id,
      to: ['ada@example.com'],
      subject: 'Hello',
      detail: '450 4.2.0 try later',
    },
  ])
  const [row] = await app.db.query<{ id: string }>(sql`
    select id from outbox where team_id = ${box.team} and type = 'email.bounced'`)
  expect(timeOfId(row!.id) - begin).toBe(schedule.at(-1))
})

test('scheduled mail leaves at its moment, in order, and nobody else’s does', async () => {
  const { app, box, sandbox, acme, t0 } = await start()
  const other = await sandbox()
  const at = (hours: number) => ({ scheduled_at: iso(t0 + hours * HOUR), subject: `after ${hours}` })
  const ids = [await box.mail(at(30)), await box.mail(at(2)), await box.mail(at(2.5)), await box.mail(at(200))]
  const theirs = [await other.mail(at(1)), (await acme.post('/emails', { ...MAIL, scheduled_at: 'in 1 hour' })).body.id]

  const { happened, steps, now } = await advance(box, '48 hours')

  expect(story(happened, t0)).toEqual(
    [2, 2.5, 30].flatMap((hour) => [
      [hour, 'email.sent'],
      [hour, 'email.delivered'],
    ]),
  )
  expect([steps, Date.parse(now) - t0]).toEqual([3, 48 * HOUR])
  const sent = await readEmail(box, ids[0]!)
  expect([sent.last_event, timeOfId(ids[0]!)]).toEqual(['delivered', t0])
  expect((await readEmail(box, ids[3]!)).last_event).toBe('scheduled')
  expect((await readEmail(other, theirs[0]!)).last_event).toBe('scheduled')
  expect((await acme.get(`/emails/${theirs[1]}`)).body.last_event).toBe('scheduled')
  expect((await other.get('/clock')).body.now).toBe(iso(app.clock.now().getTime()))
  // Its people write at the time of their sandbox from now on: also the date of what they write says so.
  const id = await box.mail()
  expect(timeOfId(id) - t0).toBe(48 * HOUR)
  const source = (await box.get(`/emails/${id}/source`)).text
  expect(source).toContain(`Date: ${new Date(t0 + 48 * HOUR).toUTCString().replace('GMT', '+0000')}`)
})

const MAIL = { from: 'hello@acme.dev', to: 'ada@example.com', subject: 'Hello', text: 'Hello' }

test('a clock that is ahead runs, and what it comes to is done', async () => {
  const { app, sandbox, settle } = await startStage()
  const box = await sandbox()
  await app.startWorkers()
  await advance(box, '1 day')
  const now = Date.parse((await box.get('/clock')).body.now)
  const id = await box.mail({ scheduled_at: iso(now + MINUTE) })

  app.clock.advance(59)
  await app.runClocks()
  await settle()
  const before = (await readEmail(box, id)).last_event
  app.clock.advance(1)
  await app.runClocks()
  await app.until(async () => expect((await readEmail(box, id)).last_event).toBe('delivered'))

  expect(before).toBe('scheduled')
  expect(Date.parse((await readEmail(box, id)).events.at(-1).created_at)).toBe(now + MINUTE)
})

test('what a worker writes down as due while a sandbox gets its clock is not left behind in the future', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  const id = await box.mail()
  const soon = new Date(app.clock.now().getTime() + 5)
  await app.db.query(sql`update deliveries set due_at = ${soon} where team_id = ${box.team}`)

  await box.patch('/clock', { is_frozen: true })
  app.clock.advance(1)
  await app.deliverDue()

  expect((await readEmail(box, id)).last_event).toBe('delivered')
})

test('only one call moves a clock at a time, and one that was killed leaves it to the next', async () => {
  const { app, box, t0 } = await start()
  const id = await box.mail({ scheduled_at: iso(t0 + HOUR) })

  await withClock(app.services, box, async () => {
    const reply = await box.patch('/clock', { advance: '1 day' })
    expect([reply.status, reply.body.name]).toEqual([409, 'resource_locked'])
    expect((await box.get('/clock')).body).toMatchObject({ now: iso(t0), is_frozen: true })
  })
  // As a process leaves it that is killed half way: in its hands, standing still, and to run on.
  await app.db.query(sql`
    update sandbox_clocks set holder = 1, version = version + 1, resumes = true, frozen_at = ${iso(t0 + MINUTE)}
    where team_id = ${box.team}`)
  const { now, is_frozen } = await advance(box, '2 hours')

  expect([Date.parse(now) - t0, is_frozen]).toEqual([2 * HOUR + MINUTE, false])
  expect((await readEmail(box, id)).last_event).toBe('delivered')
})

test('one process moves the clock while another does the work', async () => {
  const { app, sandbox } = await startStage()
  const worker = await startApp()
  app.clock.advance((worker.clock.now().getTime() - app.clock.now().getTime()) / 1_000)
  await worker.startWorkers()
  const box = await sandbox()
  const t0 = app.clock.now().getTime()
  await box.setScenario({ rules: [{ match: { attempt: { at_most: 2 } }, outcome: { reply: '450 4.2.0 try later' } }] })
  const id = await box.mail({ scheduled_at: iso(t0 + DAY) })

  const { happened, steps } = await advance(box, '2 days')

  expect(story(happened, t0 + DAY)).toEqual([
    [0, 'email.sent'],
    [0, 'email.delivery_delayed'],
    [0.1, 'email.delivered'],
  ])
  expect(steps).toBe(3)
  expect((await readEmail(box, id)).deliveries[0].attempts).toBe(3)
})

test('a sandbox that ends on the way ends the advance', async () => {
  const { app, acme, box, t0 } = await start()
  await box.setScenario({ rules: [{ match: {}, outcome: { reply: '450 4.2.0 try later' } }] })
  await box.mail({ scheduled_at: iso(t0 + HOUR) })
  await app.db.query(sql`update teams set suspended_at = now() where id = ${box.team}`)

  const reply = await acme.patch(`/sandboxes/${box.team}/clock`, { advance: '3 days' })

  expect(reply.status).toBe(404)
  expect((await acme.delete(`/sandboxes/${box.team}`)).status).toBe(200)
  expect((await acme.patch(`/sandboxes/${box.team}/clock`, { advance: '3 days' })).status).toBe(404)
})
