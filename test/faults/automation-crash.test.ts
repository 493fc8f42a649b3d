import { expect, test, vi } from 'vitest'
import { sql } from '../../src/kernel/db/sql.ts'
import { seededRandom } from '../harness/random.ts'
import { call, dataFolder, eventually, Service } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'

vi.setConfig({ testTimeout: 300_000 })

/** 20,000 take four minutes on a busy machine. */
const RUNS = process.env.POSTWREN_TEST_NIGHT ? 20_000 : 5_000
const CONNECTIONS = 32

const nameOf = (n: number) => `user${n}@sink.dev`
const isPro = (n: number) => n % 2 === 0

test('kill -9 of two workers during thousands of runs: each ends as it should, and each step sends once', async () => {
  const random = seededRandom()
  const settings = {
    POSTWREN_RATE_LIMIT: '0',
    POSTWREN_API_KEY: 're_key_of_the_crash_test',
    POSTWREN_LOG_LEVEL: 'error',
  }
  const dataDir = dataFolder()
  const start = (roles: string) => Service.start({ dataDir, settings: { ...settings, POSTWREN_ROLES: roles } })
  const api = await start('api')
  const db = await databaseOf({ dataDir })
  const workers = [await start('jobs'), await start('jobs')]
  const automation = await welcomeSeries(api)
  const count = async (step: string, name: 'waiting' | 'completed') => {
    const { body } = await call(api, 'GET', `/automations/${automation}/numbers`)
    return body.steps.find(({ key }: { key: string }) => key === step)[name] as number
  }
  /** Kills one of them now and then while the step gets to so many. */
  const killUntil = async (step: string, name: 'waiting' | 'completed', goal: number) => {
    for (let kills = 1; kills <= 4; kills++) {
      const milestone = Math.floor((goal * kills) / 5) - random.below(1_000)
      await eventually(async () => (await count(step, name)) >= milestone, 120_000)
      const index = random.below(2)
      await workers[index]!.kill()
      workers[index] = await start('jobs')
    }
    await eventually(async () => (await count(step, name)) === goal, 120_000)
  }

  const welcomed = killUntil('wait', 'waiting', RUNS)
  await sendToAll(api, (n) => ({ event: 'user.created', email: nameOf(n), payload: { n } }))
  await welcomed
  const ended = killUntil('join', 'completed', RUNS)
  await sendToAll(api, (n) => ({
    event: 'plan.chosen',
    email: nameOf(n),
    payload: { plan: isPro(n) ? 'pro' : 'free' },
  }))
  await ended

  const [runs, emails, members] = [
    await db.query(sql`select status, count(*)::int from automation_runs group by status`),
    await db.query<{ subject: string; count: number; people: number }>(sql`
      select subject, count(*)::int, count(distinct "to")::int as people from emails group by subject order by subject`),
    await db.query(sql`select count(*)::int from contact_segments`),
  ]
  expect(runs).toEqual([{ status: 'completed', count: RUNS }])
  expect(emails).toEqual([
    { subject: 'Pro', count: RUNS / 2, people: RUNS / 2 },
    { subject: 'Welcome', count: RUNS, people: RUNS },
  ])
  expect(members).toEqual([{ count: RUNS }])
})

async function welcomeSeries(api: Service): Promise<string> {
  const make = async (path: string, body?: object) => (await api.call('POST', path, body)).body.id as string
  const template = await make('/templates', { name: 'T', from: 'a@acme.dev', subject: 'x', html: '<p>x</p>' })
  await make(`/templates/${template}/publish`)
  const segment = await make('/segments', { name: 'Everybody' })
  const send = (key: string, subject: string) => ({
    key,
    type: 'send_email',
    config: { template: { id: template }, subject },
  })
  return make('/automations', {
    name: 'Welcome series',
    status: 'enabled',
    steps: [
      { key: 'start', type: 'trigger', config: { event_name: 'user.created' } },
      send('welcome', 'Welcome'),
      { key: 'pause', type: 'delay', config: { duration: '1 second' } },
      { key: 'wait', type: 'wait_for_event', config: { event_name: 'plan.chosen', timeout: '30 days' } },
      {
        key: 'check',
        type: 'condition',
        config: { type: 'rule', field: 'wait_events.plan.chosen.plan', operator: 'eq', value: 'pro' },
      },
      send('pro', 'Pro'),
      { key: 'join', type: 'add_to_segment', config: { segment_id: segment } },
    ],
    connections: [
      { from: 'start', to: 'welcome' },
      { from: 'welcome', to: 'pause' },
      { from: 'pause', to: 'wait' },
      { from: 'wait', to: 'check', type: 'event_received' },
      { from: 'check', to: 'pro', type: 'condition_met' },
      { from: 'check', to: 'join', type: 'condition_not_met' },
      { from: 'pro', to: 'join' },
    ],
  })
}

async function sendToAll(api: Service, eventOf: (n: number) => object) {
  let next = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let n = next++; n < RUNS; n = next++) {
        const { status } = await call(api, 'POST', '/events/send', eventOf(n))
        if (status !== 202) throw new Error(`the event was answered with ${status}`)
      }
    }),
  )
}
