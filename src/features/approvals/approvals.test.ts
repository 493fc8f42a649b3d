import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { guardedKey, noticesTo, press } from '../../../test/harness/approvals.ts'
import { newId } from '../../../test/harness/ids.ts'
import { sql } from '../../kernel/db/sql.ts'
import { resumeHeld } from '../emails/delivery/ledger/set-aside.ts'
import { cancelWaiting } from '../emails/delivery/queue/queue.ts'

async function start(policy: object = { hold: true }) {
  const app = await startApp()
  const acme = await app.as('acme')
  const key = await guardedKey(app, acme, policy)
  const statusOf = async (id: string) => (await acme.get(`/emails/${id}`)).body.last_event
  const eventsOf = async (id: string) => {
    const events = await app.db.query<{ type: string }>(
      sql`select type from outbox where team_id = ${acme.team} and about = ${id} order by id`,
    )
    return events.map(({ type }) => type)
  }
  return { app, acme, key, statusOf, eventsOf }
}

const HOUR = 3_600

test('mail waits as queued, is sent when somebody approves it, and the story is told', async () => {
  const { app, acme, key, statusOf, eventsOf } = await start()

  const id = await key.send({ cc: 'bob@example.org', bcc: 'eve@example.org' })
  await app.deliverDue()

  expect(await statusOf(id)).toBe('queued')
  const { data } = (await acme.get('/approvals')).body
  expect(data).toEqual([
    {
      object: 'approval',
      ...{ id, status: 'waiting', policy_id: key.id, holder: { kind: 'api_key', id: key.id, name: 'Agent' } },
      ...{ from: 'agent@acme.dev', to: ['ada@example.org'], cc: ['bob@example.org'], bcc: ['eve@example.org'] },
      ...{ subject: 'Hello', scheduled_at: null, created_at: expect.any(String), expires_at: expect.any(String) },
      ...{ decided_at: null, decided_by: null },
    },
  ])
  expect((await acme.get('/emails?status=queued')).body.data).toMatchObject([{ id, last_event: 'queued' }])
  const { timeline, recipients } = (await acme.get(`/emails/${id}/trace`)).body
  expect(timeline.at(-1)).toMatchObject({ kind: 'held', summary: 'Waiting for approval' })
  expect(recipients).toHaveLength(3)
  expect(await eventsOf(id)).toEqual(['approval.requested'])

  const person = await app.person('acme', 'developer')
  const approved = await person.post(`/approvals/${id}/approve`)
  await app.deliverDue()

  expect(approved.body).toMatchObject({ id, status: 'approved', decided_by: person.email })
  expect(await statusOf(id)).toBe('delivered')
  const events = await eventsOf(id)
  expect(events.slice(0, 3)).toEqual(['approval.requested', 'approval.approved', 'email.sent'])
  expect(new Set(events.slice(3))).toEqual(new Set(['email.delivered']))
  expect((await acme.get('/approvals')).body.data).toEqual([])
  expect((await acme.get('/approvals?status=approved')).body.data).toMatchObject([{ id }])
  const owner = await app.ownerOf(acme)
  expect((await owner.get('/audit-events')).body.data).toContainEqual(
    expect.objectContaining({ action: 'approvals.approve', object_id: id }),
  )
})

test('mail that is refused is canceled', async () => {
  const { app, acme, key, statusOf, eventsOf } = await start()
  const id = await key.send()

  expect((await acme.post(`/approvals/${id}/refuse`)).body).toMatchObject({ status: 'refused' })
  await app.deliverDue()

  expect(await statusOf(id)).toBe('canceled')
  expect(await eventsOf(id)).toEqual(['approval.requested', 'approval.refused'])
  const again = await acme.post(`/approvals/${id}/approve`)
  expect(again.status).toBe(409)
  expect(again.body).toMatchObject({
    name: 'already_decided',
    message: expect.stringMatching(/^Already refused by key of acme/),
  })
})

test('a person, a key and a link decide at once: one wins, and the others are told who', async () => {
  const { app, acme, key } = await start()
  const person = await app.person('acme', 'admin')
  for (let turn = 0; turn < 5; turn++) {
    const id = await key.send()
    app.clock.advance(HOUR)
    await app.runDueJobs()
    const { approve } = (await noticesTo(app, person.email)).at(-1)!

    const [byPerson, byKey, byLink] = await Promise.all([
      person.post(`/approvals/${id}/approve`),
      acme.post(`/approvals/${id}/refuse`),
      press(app, approve, [
        ['decision', 'approve'],
        ['email', id],
      ]),
    ])

    const wins = [byPerson.status === 200, byKey.status === 200, /<h1>1 email approved<\/h1>/.test(byLink.body)]
    expect(wins.filter(Boolean)).toHaveLength(1)
    const { status, decided_by } = (await acme.get(`/approvals/${id}`)).body
    expect(status).toBe(wins[1] ? 'refused' : 'approved')
    for (const reply of [byPerson, byKey].filter(({ status: code }) => code !== 200))
      expect(reply.body).toMatchObject({ statusCode: 409, message: `Already ${status} by ${decided_by}.` })
    const rows = await app.db.query<{ state: string; hold_id: string | null }>(
      sql`select state, hold_id from deliveries where team_id = ${acme.team} and email_id = ${id}`,
    )
    expect(rows).toEqual([{ state: status === 'approved' ? 'waiting' : 'canceled', hold_id: null }])
  }
})

test('a hundred are approved at once, by two at the same time, each once', async () => {
  const { app, acme, key, statusOf } = await start()
  const emails = Array.from({ length: 100 }, (_, n) => ({
    ...{ from: 'agent@acme.dev', to: `u${n}@example.org`, subject: 'Hello', text: 'Hi' },
  }))
  const ids: string[] = (await key.post('/emails/batch', emails)).body.data.map(({ id }: { id: string }) => id)
  const body = { decision: 'approve', ids }

  const both = await Promise.all([acme.post('/approvals/decide', body), acme.post('/approvals/decide', body)])
  await app.deliverDue()

  const outcomes = both.map((reply) => reply.body.data.map(({ outcome }: { outcome: string }) => outcome))
  const firsts = ids.map((_id, index) => outcomes.filter((all) => all[index] === 'decided').length)
  expect(new Set(firsts)).toEqual(new Set([1]))
  expect(both.flatMap((reply) => reply.body.data)).toHaveLength(200)
  expect(await statusOf(ids[99]!)).toBe('delivered')
  const sent = (await acme.events()).filter(({ type }) => type === 'email.sent')
  expect(sent).toHaveLength(100)
})

test('what is of another team, or was never held, is not found', async () => {
  const { app, acme, key } = await start()
  const globex = await app.as('globex')
  const id = await key.send()
  const unheld = (await acme.post('/emails', { from: 'a@acme.dev', to: 'ada@example.org', subject: 'Hi', text: 'x' }))
    .body.id

  expect((await globex.post(`/approvals/${id}/approve`)).status).toBe(404)
  expect((await acme.post(`/approvals/${unheld}/approve`)).status).toBe(404)
  const { data } = (await globex.post('/approvals/decide', { decision: 'approve', ids: [id, newId()] })).body
  expect(data).toMatchObject([{ outcome: 'not_found', status: null }, { outcome: 'not_found' }])
  expect((await acme.get(`/approvals/${id}`)).body.status).toBe('waiting')
})

test('the key itself decides nothing, nor do those who may only look', async () => {
  const { app, acme, key } = await start()
  const id = await key.send()
  const viewer = await app.person('acme', 'viewer')

  expect((await key.get(`/approvals/${id}`)).status).toBe(200)
  for (const path of [`/approvals/${id}/approve`, `/approvals/${id}/refuse`])
    expect([(await key.post(path)).status, (await viewer.post(path)).status]).toEqual([403, 403])
  expect((await key.post('/approvals/decide', { decision: 'approve', ids: [id] })).status).toBe(403)
  expect((await acme.get(`/approvals/${id}`)).body.status).toBe('waiting')
})

test('what nobody approves in time is canceled, once, whoever comes at that moment', async () => {
  const { app, acme, key, statusOf, eventsOf } = await start({ hold: { expires_in_hours: 1 } })
  const [id, late] = [await key.send(), await key.send()]
  app.clock.advance(HOUR)

  const [approved] = await Promise.all([acme.post(`/approvals/${late}/approve`), app.runDueJobs()])
  await app.deliverDue()

  expect(approved.body.message).toBe('The approval has expired. The email is canceled.')
  for (const one of [id, late]) {
    expect(await statusOf(one)).toBe('canceled')
    expect(await eventsOf(one)).toEqual(['approval.requested', 'approval.expired'])
  }
  expect((await acme.get('/approvals?status=expired')).body.data).toMatchObject([{ id: late }, { id }])
  const owner = await app.ownerOf(acme)
  const audited = (await owner.get('/audit-events')).body.data.filter(
    ({ action }: { action: string }) => action === 'approvals.expire',
  )
  expect(audited.length).toBeGreaterThan(0)
})

test('later ones expire at their own time', async () => {
  const { app, key, statusOf } = await start({ hold: { expires_in_hours: 2 } })
  const first = await key.send()
  app.clock.advance(HOUR)
  const second = await key.send()
  app.clock.advance(HOUR)
  await app.runDueJobs()
  expect([await statusOf(first), await statusOf(second)]).toEqual(['canceled', 'queued'])

  app.clock.advance(HOUR)
  await app.runDueJobs()
  expect(await statusOf(second)).toBe('canceled')
})

test('scheduled mail is scheduled when it is approved, or leaves at once when its time is over', async () => {
  const { app, acme, key, statusOf, eventsOf } = await start()
  const [soon, over] = [await key.send({ scheduled_at: 'in 2 hours' }), await key.send({ scheduled_at: 'in 1 hour' })]

  expect((await acme.patch(`/emails/${soon}`, { scheduled_at: 'in 3 hours' })).body.message).toBe(
    'Only scheduled emails can be rescheduled; this one is queued.',
  )
  await acme.post(`/approvals/${soon}/approve`)
  expect(await statusOf(soon)).toBe('scheduled')
  app.clock.advance(HOUR + 60)
  await app.deliverDue()
  expect([await statusOf(soon), await statusOf(over)]).toEqual(['scheduled', 'queued'])

  await acme.post(`/approvals/${over}/approve`)
  await app.deliverDue()
  expect([await statusOf(soon), await statusOf(over)]).toEqual(['scheduled', 'delivered'])

  app.clock.advance(HOUR)
  await app.deliverDue()
  expect(await statusOf(soon)).toBe('delivered')
  expect(await eventsOf(soon)).toEqual([
    ...['approval.requested', 'approval.approved', 'email.scheduled', 'email.sent', 'email.delivered'],
  ])
})

test('it has all of its time to be tried from then on, however long it lay', async () => {
  const { app, acme, key } = await start({ hold: { expires_in_hours: 720 } })
  const id = await key.send()
  app.clock.advance(100 * HOUR)

  await acme.post(`/approvals/${id}/approve`)

  const [row] = await app.db.query<{ due: number; end: number }>(sql`
    select extract(epoch from due_at - ${app.clock.now()}::timestamptz)::int as due,
      extract(epoch from give_up_at - due_at)::int as end
    from deliveries where team_id = ${acme.team} and email_id = ${id}`)
  expect(row).toEqual({ due: 0, end: app.config.GIVE_UP_AFTER })
})

test('what is canceled or deleted meanwhile is asked about no more', async () => {
  const { app, acme, key, statusOf } = await start()
  const [byTeam, byOperator, deleted] = [await key.send(), await key.send(), await key.send()]

  expect((await acme.post(`/emails/${byTeam}/cancel`)).status).toBe(200)
  await cancelWaiting(app.db, { filter: { email: byOperator }, reason: 'Spam', record: async () => {} })
  await acme.delete(`/emails/${deleted}`)

  expect((await acme.get('/approvals')).body.data).toEqual([])
  for (const id of [byTeam, byOperator]) {
    expect(await statusOf(id)).toBe('canceled')
    expect((await acme.get(`/approvals/${id}`)).body.status).toBe('canceled')
    expect((await acme.post(`/approvals/${id}/approve`)).body.message).toBe('The email was canceled before.')
  }
  expect((await acme.post(`/approvals/${deleted}/approve`)).status).toBe(404)
  await app.deliverDue()
  expect((await acme.events()).filter(({ type }) => type === 'email.sent')).toEqual([])
})

test('whoever cancels or deletes it at the moment of a yes, it is sent whole or not at all', async () => {
  const { app, acme, key } = await start()
  const ids: string[] = []
  for (let n = 0; n < 12; n++) ids.push(await key.send({ cc: 'bob@example.org' }))
  const against = [
    (email: string) => cancelWaiting(app.db, { filter: { email }, reason: 'Spam', record: async () => {} }),
    (id: string) => acme.post(`/emails/${id}/cancel`),
    (id: string) => acme.delete(`/emails/${id}`),
  ]

  await Promise.all(ids.flatMap((id, n) => [acme.post(`/approvals/${id}/approve`), against[n % 3]!(id)]))
  await app.deliverDue()

  const rows = await app.db.query<{ status: string; states: string[] }>(sql`
    select a.status, array_agg(distinct d.state) as states
    from approvals a join deliveries d on d.team_id = a.team_id and d.email_id = a.email_id
    where a.team_id = ${acme.team} group by a.email_id, a.status`)
  for (const { status, states } of rows) {
    expect(['approved', 'canceled']).toContain(status)
    // What is approved can still be canceled before anybody has begun with it.
    expect([['delivered'], ['canceled']]).toContainEqual(states)
    if (status === 'canceled') expect(states).toEqual(['canceled'])
  }
  expect((await acme.get('/approvals')).body.data).toEqual([])
})

test('what a deleted key has left waiting is not sent', async () => {
  const { app, acme, key, statusOf } = await start()
  const id = await key.send()
  await acme.delete(`/api-keys/${key.id}`)

  const reply = await acme.post(`/approvals/${id}/approve`)
  await app.deliverDue()

  expect(reply.body).toMatchObject({
    name: 'already_decided',
    message: expect.stringMatching(/^The email is canceled/),
  })
  expect(await statusOf(id)).toBe('canceled')
})

test('mail waits on when the policy lets new mail through, or was removed', async () => {
  const { app, acme, key, statusOf } = await start()
  const id = await key.send()

  expect((await acme.patch(`/api-keys/${key.id}`, { policy: { no_bcc: true } })).status).toBe(200)
  const free = await key.send()
  expect((await acme.patch(`/api-keys/${key.id}`, { policy: null })).status).toBe(200)
  await app.deliverDue()

  expect([await statusOf(id), await statusOf(free)]).toEqual(['queued', 'delivered'])
  await acme.post(`/approvals/${id}/approve`)
  await app.deliverDue()
  expect(await statusOf(id)).toBe('delivered')
})

test('a dry run holds nothing', async () => {
  const { app, key, statusOf } = await start({ hold: true, dry_run: true })
  const id = await key.send()
  await app.deliverDue()
  expect(await statusOf(id)).toBe('delivered')
})

test('no release of held mail frees it, and one for its team keeps what was approved', async () => {
  const { app, acme, key, statusOf } = await start()
  const [id, other] = [await key.send(), await key.send()]

  await resumeHeld(app.db)
  await app.deliverDue()
  expect(await statusOf(id)).toBe('queued')

  await acme.post(`/approvals/${id}/approve`)
  await app.db.query(sql`update teams set suspended_at = now(), suspended_reason = 'x' where id = ${acme.team}`)
  await app.services.teamStates.refresh()
  await app.deliverDue()
  const rows = await app.db.query<{ id: string; state: string }>(
    sql`select email_id as id, state from deliveries where team_id = ${acme.team} order by email_id`,
  )
  expect(rows).toEqual([
    { id, state: 'waiting' },
    { id: other, state: 'waiting' },
  ])
  await app.db.query(sql`update teams set suspended_at = null, suspended_reason = null where id = ${acme.team}`)
  await app.services.teamStates.refresh()
  await resumeHeld(app.db)
  await app.deliverDue()
  expect([await statusOf(id), await statusOf(other)]).toEqual(['delivered', 'queued'])
})

test('a request that is repeated with its idempotency key waits once', async () => {
  const { app, acme, key } = await start()
  const payload = { from: 'agent@acme.dev', to: 'ada@example.org', subject: 'Hi', text: 'x' }
  const headers = { authorization: `Bearer ${key.token}`, 'idempotency-key': newId() }
  const replies = await Promise.all([1, 2, 3].map(() => app.send({ method: 'POST', url: '/emails', headers, payload })))

  expect(replies.some(({ status }) => status === 200)).toBe(true)
  expect((await acme.get('/approvals')).body.data).toHaveLength(1)
})

test('in a sandbox it expires by the time of the sandbox, and mails nobody', async () => {
  const app = await startApp()
  const box = await app.sandboxOf(await app.as('acme'))
  const key = await guardedKey(app, box, { hold: { expires_in_hours: 2, notify: ['boss@example.com'] } })
  const from = `agent@${box.domain}`
  const [id, later] = [await key.send({ from }), await key.send({ from, scheduled_at: 'in 1 hour' })]
  await app.startWorkers()

  await box.patch('/clock', { advance: '90 minutes' })
  expect((await box.get(`/emails/${id}`)).body.last_event).toBe('queued')
  await box.post(`/approvals/${later}/approve`)
  await box.patch('/clock', { advance: '1 minute' })
  expect((await box.get(`/emails/${later}`)).body.last_event).toBe('delivered')
  await box.patch('/clock', { advance: '1 hour' })

  expect((await box.get(`/approvals/${id}`)).body).toMatchObject({ status: 'expired', decided_by: null })
  expect(await noticesTo(app, 'boss@example.com')).toEqual([])
})
