import { describe, expect, test } from 'vitest'
import {
  automate,
  delay,
  happens,
  mailsOf,
  send,
  startWithTemplate,
  storiesOf,
  trigger,
  waitFor,
} from '../../../../test/harness/automated.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { recordAll } from '../../../kernel/outbox/record.ts'
import { readAutomationQueue } from './queue-state.ts'

const ADA = 'ada@example.com'
const days = (count: number) => count * 86_400

describe('an event', () => {
  test('starts a run of each enabled automation with that trigger, which sends its email', async () => {
    const { app, acme, template } = await startWithTemplate()
    const one = await automate(acme, [trigger(), send(template)])
    const other = await automate(acme, [trigger(), send(template, 'other', { subject: 'Another' })])
    const off = await automate(acme, [trigger(), send(template)], undefined, { status: 'disabled' })
    await automate(acme, [trigger('user.deleted'), send(template)])

    await happens(acme, 'user.created', ADA, { plan: 'pro' })
    await app.runAutomations()

    expect((await mailsOf(acme)).sort()).toEqual([`Another to ${ADA}`, `Hello to ${ADA}`])
    expect(await storiesOf(acme, one)).toMatchObject([
      {
        status: 'completed',
        steps: { start: 'completed', mail: 'completed' },
        outputs: {
          start: { event_name: 'user.created', payload: { plan: 'pro' } },
          mail: { to: ADA, email_id: expect.any(String), template: { id: template, variables: null } },
        },
      },
    ])
    expect(await storiesOf(acme, other)).toHaveLength(1)
    expect(await storiesOf(acme, off)).toEqual([])
  })

  test('makes a contact of an address that is none when a run starts, and only then', async () => {
    const { app, acme } = await startWithTemplate()
    await automate(acme, [trigger(), delay('1 hour')])

    await happens(acme, 'user.created', 'New@example.com')
    await happens(acme, 'user.deleted', 'other@example.com')
    await app.runAutomations()

    const { body } = await acme.get('/contacts')
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual(['New@example.com'])
    expect((await acme.events()).filter(({ type }) => type === 'contact.created')).toHaveLength(1)
  })

  test('of another team starts nothing', async () => {
    const { app, acme, template } = await startWithTemplate()
    const globex = await app.as('globex')
    const automation = await automate(acme, [trigger(), send(template)])

    await happens(globex, 'user.created', ADA)
    await app.runAutomations()

    expect(await storiesOf(acme, automation)).toEqual([])
  })

  test('of an email starts runs of contacts that it was sent to, and nobody becomes one', async () => {
    const { app, acme } = await startWithTemplate()
    await acme.post('/contacts', { email: ADA })
    const automation = await automate(acme, [trigger('resend:email.delivered'), delay('1 hour')])
    const to = [ADA, 'bob@example.com']
    await acme.post('/emails', { from: 'me@acme.dev', to, subject: 'Two', text: 'x' })

    await app.deliverDue()
    await app.runAutomations()

    const [story, ...others] = await storiesOf(acme, automation)
    expect(others).toEqual([])
    expect(story!.outputs.start.payload).toMatchObject({ subject: 'Two', to })
    expect((await acme.get('/contacts')).body.data).toHaveLength(1)
  })
})

describe('a delay', () => {
  test('is over when its time has come, and not before', async () => {
    const { app, acme, template } = await startWithTemplate()
    const automation = await automate(acme, [trigger(), delay('3 days'), send(template)])
    await happens(acme, 'user.created', ADA)

    await app.runAutomations()
    expect((await storiesOf(acme, automation))[0]).toMatchObject({
      status: 'running',
      steps: { start: 'completed', pause: 'waiting', mail: 'pending' },
    })
    app.clock.advance(days(3) - 1)
    await app.runAutomations()
    expect(await mailsOf(acme)).toEqual([])
    app.clock.advance(1)
    await app.runAutomations()

    expect(await mailsOf(acme)).toEqual([`Hello to ${ADA}`])
    expect((await storiesOf(acme, automation))[0]!.status).toBe('completed')
  })

  test('counts from when it was due to begin, also when the service was away for long', async () => {
    const { app, acme, template } = await startWithTemplate()
    await automate(acme, [
      trigger(),
      delay('1 day', 'a'),
      send(template, 'b'),
      delay('1 day', 'c'),
      send(template, 'd'),
    ])
    await happens(acme, 'user.created', ADA)
    await app.runAutomations()

    app.clock.advance(days(1.5))
    await app.runAutomations()

    expect(await mailsOf(acme)).toHaveLength(1)
    app.clock.advance(days(0.5))
    await app.runAutomations()
    expect(await mailsOf(acme)).toHaveLength(2)
  })
})

test('branches part and meet again', async () => {
  const { app, acme, template } = await startWithTemplate()
  const automation = await automate(
    acme,
    [
      trigger(),
      { key: 'pro', type: 'condition', config: { type: 'rule', field: 'event.plan', operator: 'eq', value: 'pro' } },
      send(template, 'thanks', { subject: 'Thanks' }),
      send(template, 'offer', { subject: 'Offer' }),
      send(template, 'end', { subject: 'End' }),
    ],
    [
      ['start', 'pro'],
      ['pro', 'thanks', 'condition_met'],
      ['pro', 'offer', 'condition_not_met'],
      ['thanks', 'end'],
      ['offer', 'end'],
    ],
  )
  await happens(acme, 'user.created', ADA, { plan: 'pro' })
  await happens(acme, 'user.created', ADA, { plan: 'free' })
  await happens(acme, 'user.created', ADA, {})
  await app.runAutomations()

  const stories = await storiesOf(acme, automation)
  expect(stories.map(({ status, steps }) => [status, steps])).toEqual([
    ['completed', { start: 'completed', pro: 'completed', thanks: 'completed', offer: 'skipped', end: 'completed' }],
    ['completed', { start: 'completed', pro: 'completed', thanks: 'skipped', offer: 'completed', end: 'completed' }],
    ['failed', { start: 'completed', pro: 'failed', thanks: 'skipped', offer: 'skipped', end: 'skipped' }],
  ])
  expect(await mailsOf(acme)).toEqual(['Thanks', 'End', 'Offer', 'End'].map((subject) => `${subject} to ${ADA}`))
})

test('a contact is changed, put into a segment and deleted, each with its event', async () => {
  const { app, acme } = await startWithTemplate()
  await acme.post('/contact-properties', { key: 'plan', type: 'string' })
  const segment = (await acme.post('/segments', { name: 'Pros' })).body.id
  const config = { first_name: { var: 'event.name' }, last_name: 'L', properties: { plan: { var: 'event.plan' } } }
  await automate(acme, [
    trigger(),
    { key: 'change', type: 'contact_update', config },
    { key: 'join', type: 'add_to_segment', config: { segment_id: segment } },
    delay('1 day'),
    { key: 'end', type: 'contact_delete' },
  ])
  await happens(acme, 'user.created', ADA, { name: 'Ada', plan: 'pro' })
  await app.runAutomations()

  const { body: contact } = await acme.get(`/contacts/${ADA}`)
  expect(contact).toMatchObject({ first_name: 'Ada', last_name: 'L', properties: { plan: { value: 'pro' } } })
  expect((await acme.get(`/segments/${segment}/contacts`)).body.data).toHaveLength(1)
  app.clock.advance(days(1))
  await app.runAutomations()
  expect((await acme.get(`/contacts/${ADA}`)).status).toBe(404)
  const types = (await acme.events()).map(({ type }) => type).filter((type) => type.startsWith('contact.'))
  expect(types).toEqual(['contact.created', 'contact.updated', 'contact.updated', 'contact.deleted'])
})

test('a contact is not changed by a variable without a value: the step fails, and names it', async () => {
  const { app, acme } = await startWithTemplate()
  const config = { last_name: 'L', first_name: { var: 'event.name' } }
  const automation = await automate(acme, [trigger(), { key: 'change', type: 'contact_update', config }])
  await acme.post('/contacts', { email: ADA, first_name: 'Ada' })
  await happens(acme, 'user.created', ADA)
  await happens(acme, 'user.created', 'bob@example.com', { name: 'Bob' })
  await app.runAutomations()

  expect((await acme.get(`/contacts/${ADA}`)).body).toMatchObject({ first_name: 'Ada', last_name: null })
  expect(await storiesOf(acme, automation)).toMatchObject([
    { status: 'failed', outputs: { change: { message: 'The variable `event.name` has no value.' } } },
    { status: 'completed', outputs: { change: { changes: { first_name: 'Bob', last_name: 'L' } } } },
  ])
})

test('runs of a contact that one event takes on see what those before them have changed', async () => {
  const { app, acme, template } = await startWithTemplate()
  const change = { key: 'change', type: 'contact_update', config: { unsubscribed: true } }
  const automation = await automate(acme, [trigger(), waitFor('order.paid'), send(template), change])
  for (const email of [ADA, 'bob@example.com', ADA]) await happens(acme, 'user.created', email)
  await app.runAutomations()
  for (const email of [ADA, 'bob@example.com']) await happens(acme, 'order.paid', email)
  await app.runAutomations()

  const stories = await storiesOf(acme, automation)
  expect(stories.map(({ steps }) => steps.mail)).toEqual(['completed', 'completed', 'skipped'])
  expect((await mailsOf(acme)).sort()).toEqual([`Hello to ${ADA}`, 'Hello to bob@example.com'])
})

test.each([
  ['never', 3],
  ['while_running', 2],
  ['ever', 1],
] as const)('once for a contact: %s', async (once_per_contact, expected) => {
  const { app, acme } = await startWithTemplate()
  const automation = await automate(acme, [trigger(), delay('1 day')])
  await acme.patch(`/automations/${automation}/settings`, { once_per_contact })

  await happens(acme, 'user.created', ADA)
  await happens(acme, 'user.created', ADA)
  await app.runAutomations()
  app.clock.advance(days(1))
  await happens(acme, 'user.created', ADA)
  await app.runAutomations()

  expect(await storiesOf(acme, automation)).toHaveLength(expected)
})

test('who tries it out gets the mail, at once, and nothing else is changed', async () => {
  const { app, acme, template } = await startWithTemplate()
  const { body: contact } = await acme.post('/contacts', { email: ADA, first_name: 'Ada' })
  const automation = await automate(
    acme,
    [
      trigger(),
      delay('3 days'),
      waitFor('order.paid', { timeout: '1 day' }),
      send(template, 'mail', { subject: 'Late' }),
      { key: 'change', type: 'contact_update', config: { first_name: 'Eve' } },
      { key: 'end', type: 'contact_delete' },
    ],
    [
      ['start', 'pause'],
      ['pause', 'wait'],
      ['wait', 'mail', 'timeout'],
      ['mail', 'change'],
      ['change', 'end'],
    ],
    { status: 'disabled' },
  )
  const body = { to: 'me@acme.dev', contact_id: contact.id, waits: 'timeout', payload: { plan: 'pro' } }
  expect((await acme.post(`/automations/${automation}/test`, body)).status).toBe(202)
  await app.runAutomations()

  expect(await mailsOf(acme)).toEqual(['Late to me@acme.dev'])
  expect((await storiesOf(acme, automation))[0]!.status).toBe('completed')
  expect((await acme.get(`/contacts/${ADA}`)).body.first_name).toBe('Ada')
  const { body: numbers } = await acme.get(`/automations/${automation}/numbers`)
  expect(numbers.steps.every(({ entered }: { entered: number }) => entered === 0)).toBe(true)
})

test('an event that thousands of runs of one contact wait for wakes each of them once', async () => {
  const { app, acme } = await startWithTemplate()
  const { body: contact } = await acme.post('/contacts', { email: ADA })
  const waits = [waitFor('go', {}, 'first'), waitFor('go', {}, 'second')]
  const automation = await automate(acme, [trigger('go'), ...waits, delay('1 day')])
  const count = 4_500
  await app.db.query(sql`
    insert into automation_runs (team_id, id, automation_id, graph_id, contact_id, status, step_key, entered_at, waits_for, event,
      wait_events, trail, created_at, started_at)
    select team_id, gen_random_uuid(), id, graph_id, ${contact.id}, 'running', 'first', now(), 'go', '{}', '{}', '[]', now(), now()
    from automations, generate_series(1, ${count}) where team_id = ${acme.team} and id = ${automation}`)

  await happens(acme, 'go', ADA)
  await happens(acme, 'other', ADA)
  await app.runAutomations()

  const standing = await app.db.query(sql`
    select step_key, count(*)::int from automation_runs where team_id = ${acme.team} group by step_key order by step_key`)
  // One more, which the event has started.
  expect(standing).toEqual([
    { step_key: 'first', count: 1 },
    { step_key: 'second', count },
  ])
})

test('the metrics tell what automations have to deal with', async () => {
  const { app, acme } = await startWithTemplate()
  const before = await readAutomationQueue(app.db)
  await automate(acme, [trigger(), delay('1 hour')])
  await happens(acme, 'user.created', ADA)
  app.clock.advance(60)

  const noted = await readAutomationQueue(app.db)
  await app.runAutomations()
  const later = await readAutomationQueue(app.db)
  app.clock.advance(3_600 + 30)
  const due = await readAutomationQueue(app.db)

  expect(noted).toMatchObject({ noted: before.noted + 1, oldestDueSeconds: expect.closeTo(60, 0) })
  expect(later).toMatchObject({ noted: before.noted, later: before.later + 1, oldestDueSeconds: 0 })
  expect(due.due).toBeGreaterThan(0)
  expect(due.oldestDueSeconds).toBeGreaterThanOrEqual(30)
})

test('what a scanner opens is no open: it wakes nobody, and is not counted', async () => {
  const { app, acme, template } = await startWithTemplate()
  const automation = await automate(acme, [trigger(), send(template), waitFor('resend:email.opened')])
  await happens(acme, 'user.created', ADA)
  await app.runAutomations()
  const { body: emails } = await acme.get('/emails')
  const opens = async (is_counted: boolean) => {
    const data = { to: [ADA], verdict: { kind: 'scanner', reason: 'prefetch', is_counted } }
    const opened = { team: acme.team, type: 'email.opened', data, about: emails.data[0].id } as const
    await app.db.transaction((trx) => recordAll(trx, [opened]))
    await app.runAutomations()
    const { body } = await acme.get(`/automations/${automation}/numbers`)
    return [(await storiesOf(acme, automation))[0]!.status, body.steps[1].opened]
  }

  expect(await opens(false)).toEqual(['running', 0])
  expect(await opens(true)).toEqual(['completed', 1])
})

test('steps are counted, and the first open and click of what they sent', async () => {
  const { app, acme, template } = await startWithTemplate()
  const automation = await automate(acme, [trigger(), send(template), delay('1 day')])
  for (const email of [ADA, 'bob@example.com']) await happens(acme, 'user.created', email)
  await app.runAutomations()
  const { body: emails } = await acme.get('/emails')
  const opened = { team: acme.team, type: 'email.opened', data: { to: [ADA] }, about: emails.data[0].id } as const
  for (let n = 0; n < 2; n++) {
    await app.db.transaction((trx) => recordAll(trx, [opened, { ...opened, type: 'email.clicked' }]))
    await app.runAutomations()
  }

  const { body } = await acme.get(`/automations/${automation}/numbers`)
  expect(body.steps).toMatchObject([
    { key: 'start', entered: 2, completed: 2 },
    { key: 'mail', entered: 2, completed: 2, sent: 2, opened: 1, clicked: 1 },
    { key: 'pause', entered: 2, completed: 0, waiting: 2 },
  ])
  expect(body.connections.map(({ taken }: { taken: number }) => taken)).toEqual([2, 2])
  expect((await acme.get('/usage')).body.automation_runs.used).toBe(2)
})
