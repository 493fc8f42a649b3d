import { expect, onTestFinished, test } from 'vitest'
import { startDirect } from '../../../../test/harness/direct.ts'
import { emptyLedger, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { readableLog } from '../../../../test/harness/log.ts'
import { operatorOf } from '../../../../test/harness/operators.ts'
import { ACTORS } from '../../../../test/harness/roles.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { builtInRules } from '../../../mail/providers/ceilings.ts'
import { CeilingTable } from '../../emails/delivery/pace/ceiling-table.ts'
import { insertHold, scopeOfEmail } from '../../limits/holds.ts'

/** What is written down after the answer, and what other processes have to hear of first. */
const soon = <Seen>(look: () => Seen | Promise<Seen>) => expect.poll(look)

const BUSY = '421 4.7.0 Too much mail, slow down'
const BLOCKED = '550 5.7.1 Our IP address is listed'

async function start() {
  const started = await startDirect()
  const { app, acme, dns, from } = started
  for (const table of [
    sql`pace_controllers`,
    sql`pace_changes`,
    sql`delivery_pauses`,
    sql`delivery_ceilings`,
    sql`destination_stops`,
  ])
    await app.db.query(sql`delete from ${table}`)
  await emptyLedger(app)
  const domain = `busy-${Math.random().toString(36).slice(2)}.dev`
  const mx = `mx.${domain}`
  dns.set(domain, { MX: [{ exchange: mx, preference: 10 }] })
  dns.set(mx, { A: ['127.0.0.1'] })
  const send = (to = `ada@${domain}`) => sendEmail(acme, { from, to })
  return { ...started, operator: await operatorOf(app), domain, mx, send }
}

interface Group {
  readonly name: string | null
  readonly state: string
}

test('a destination that asks for less is on top, with its rate, the reason and the reply; its page has every change', async () => {
  const { app, server, operator, mx, send } = await start()
  server.react(({ step }) => (step === 'RCPT' ? BUSY : undefined))
  await send()
  await app.deliverDue()
  const read = async () => (await operator.get('/operator/delivery')).body.data as Group[]
  await soon(async () => (await read()).find(({ name }) => name === mx)?.state).toBe('slowed')

  const [first] = await read()
  expect(first).toMatchObject({ name: mx, reason: 'It has asked for less mail.', rate: 1, max_rate: null })
  const { body: one } = await operator.get(`/operator/delivery/destination?name=${mx}`)
  expect(one).toMatchObject({ object: 'delivery_destination', kind: 'site', state: 'slowed', pauses: [] })
  expect(one.paces).toMatchObject([{ kind: 'source', about: 'our IP address', rate: 1, limit: 2, reply: BUSY }])
  const { body: history } = await operator.get(`/operator/delivery/pace?destination=${mx}`)
  expect(history).toMatchObject({
    is_complete: true,
    data: [{ cause: 'throttled', from_rate: null, to_rate: 1, reply: BUSY }],
  })
})

test('mail is counted by destination, domain, team and identity', async () => {
  const { app, acme, operator, domain, send } = await start()
  const ids = [await send(), await send(), await send(), await send()]
  const now = app.clock.now()
  const reply = {
    at: now.toISOString(),
    reply: '450 4.2.1 Try later',
    class: 'greylisted',
    rule: 'a rule',
    means: 'later',
  }
  await app.db.query(sql`update deliveries set destination = 'gmail', due_at = ${now}::timestamptz - interval '1 s'`)
  await app.db.query(sql`
    update deliveries set claims = 1, due_at = ${now}::timestamptz + interval '1 h', replies = ${JSON.stringify([reply])}::jsonb
    where email_id = ${ids[0]}`)
  await app.db.query(sql`
    update deliveries set due_at = ${now}::timestamptz + interval '1 h', parked_for = 'gmail' where email_id = ${ids[1]}`)
  await app.db.query(
    sql`update deliveries set due_at = ${now}::timestamptz + interval '1 h' where email_id = ${ids[3]}`,
  )
  const by = async (grouping: string) => (await operator.get(`/operator/delivery?by=${grouping}`)).body
  const counts = { waiting: 2, in_flight: 0, deferred: 1, held: 0, state: 'flowing' }

  const { at: _at, means: _means, ...shown } = reply
  expect(await by('destination')).toMatchObject({
    is_complete: true,
    data: [{ ...counts, name: 'gmail', last_reply: shown }],
  })
  expect((await by('domain')).data).toMatchObject([{ ...counts, name: domain }])
  expect((await by('team')).data).toMatchObject([{ ...counts, name: acme.team, label: expect.any(String) }])
  const [sender] = (await by('identity')).data
  expect(sender).toMatchObject(counts)
  expect(sender.name).toMatch(/\.dev$|\.com$/)
  expect((await operator.get('/operator/delivery?by=nothing')).status).toBe(422)
})

test('a pause is lifted with a reason, which the destination’s page and the audit log keep', async () => {
  const { app, acme, operator } = await start()
  const until = new Date(app.clock.now().getTime() + 900_000)
  await app.db.query(sql`
    insert into delivery_pauses (destination, kind, identity, refusals, paused_until, host, reply, class, refused_at)
    values ('gmail', 'source', 'default', 1, ${until}, 'mx.example.net', ${BLOCKED}, 'spam_block', ${app.clock.now()})`)
  const read = async () => (await operator.get('/operator/delivery/destination?name=gmail')).body

  expect(await read()).toMatchObject({
    ...{ state: 'paused', reason: 'It refuses our IP address.', until: until.toISOString() },
    pauses: [{ is_active: true, about: 'our IP address', reply: BLOCKED, refusals: 1, lifted_at: null }],
  })
  expect((await operator.post('/operator/delivery/pauses/lift', { destination: 'gmail' })).status).toBe(422)
  const reason = 'The list has removed us'
  const lifted = await operator.post('/operator/delivery/pauses/lift', { destination: 'gmail', kind: 'source', reason })
  const again = await operator.post('/operator/delivery/pauses/lift', { destination: 'gmail', reason })

  expect([lifted.body, again.body]).toEqual([
    { object: 'lifted_pauses', count: 1, is_stop_lifted: false },
    { object: 'lifted_pauses', count: 0, is_stop_lifted: false },
  ])
  expect(await read()).toMatchObject({ state: 'flowing', pauses: [{ is_active: false, lifted_reason: reason }] })
  const { body } = await acme.get('/audit-events?action=queue.lift')
  expect(body.data).toMatchObject([{ actor: { type: 'user' }, details: { destination: 'gmail', reason } }])
})

test('a destination that is stopped is away until one message has got through, and is tried at once when that is lifted', async () => {
  const { app, operator } = await start()
  const now = app.clock.now()
  const until = new Date(now.getTime() + 300_000)
  const reply = '421 4.3.2 Closing'
  await app.db.query(sql`
    insert into destination_stops (destination, cause, stopped_at, stopped_until, failures, host, reply, domain)
    values ('mx.gone.dev', 'unreachable', ${now}, ${until}, 3, 'mx.gone.dev', ${reply}, 'gone.dev'),
      ('yahoo', 'paused', ${now}, ${until}, 1, null, ${BLOCKED}, null)`)
  const { body: all } = await operator.get('/operator/delivery')
  const read = async () => (await operator.get('/operator/delivery/destination?name=mx.gone.dev')).body

  const stop = { cause: 'unreachable', stopped_until: until.toISOString(), failures: 3, reply }
  const away = { state: 'away', reason: 'It cannot be reached.', until: until.toISOString(), stop }
  expect(all.data).toMatchObject([
    { name: 'mx.gone.dev', ...away },
    { name: 'yahoo', state: 'paused', reason: 'It refuses our address.', until: until.toISOString() },
  ])
  expect(await read()).toMatchObject(away)
  const lift = (destination: string) =>
    operator.post('/operator/delivery/pauses/lift', { destination, reason: 'They are back' })
  expect((await lift('mx.gone.dev')).body).toMatchObject({ count: 0, is_stop_lifted: true })
  expect((await lift('yahoo')).body).toMatchObject({ count: 0, is_stop_lifted: true })
  expect(Date.parse((await read()).stop?.stopped_until ?? '')).toBeLessThanOrEqual(app.clock.now().getTime())
  expect((await operator.get('/operator/delivery/destination?name=yahoo')).body).toMatchObject({ stop: null })
})

test('a rule of ceilings binds in all processes, says where it comes from, and is in the audit log of all teams', async () => {
  const { app, acme, operator } = await start()
  const table = new CeilingTable(app.db, { log: readableLog().log, rules: builtInRules(5) })
  onTestFinished(await table.follow())
  const bound = async (name: string) =>
    (await operator.get('/operator/delivery/destination?name=gmail')).body.ceilings.find(
      (one: { name: string }) => one.name === name,
    )
  expect(await bound('connections')).toEqual({
    ...{ name: 'connections', value: '5', origin: 'built in', layer: 'provider gmail', where: 'built in' },
  })

  const reason = 'They know our address by now'
  const made = await operator.post('/operator/delivery/ceilings', {
    ...{ provider: 'gmail', connections: 20, rate: '2000/h', reason },
  })
  expect([made.status, made.body.object]).toEqual([201, 'delivery_ceiling'])
  await soon(() => table.for({ provider: 'gmail' }).connections.value).toBe(20)
  expect(await bound('rate')).toMatchObject({ value: '2000/h', origin: 'database', layer: 'provider gmail' })

  const other = { provider: 'gmail', source: '192.0.2.1', rate: '1/s', reason }
  const { body: beside } = await operator.post('/operator/delivery/ceilings', other)
  const taken = [
    await operator.post('/operator/delivery/ceilings', other),
    await operator.patch(`/operator/delivery/ceilings/${beside.id}`, { source: null, reason }),
  ]
  expect(taken.map(({ status, body }) => [status, body.message])).toEqual(
    Array(2).fill([422, 'There is a rule about the same already. Change that one.']),
  )
  await operator.delete(`/operator/delivery/ceilings/${beside.id}?reason=x`)

  const path = `/operator/delivery/ceilings/${made.body.id}`
  await operator.patch(path, { connections: null, rate: '10/s', reason: 'Too many' })
  await soon(() => table.for({ provider: 'gmail' }).connections.value).toBe(5)
  const { body: list } = await operator.get('/operator/delivery/ceilings')
  expect(list.data).toMatchObject([
    { provider: 'gmail', site: null, connections: null, rate: '10/s', reason: 'Too many' },
  ])

  await operator.delete(`${path}?reason=Not%20needed`)
  await soon(() => table.for({ provider: 'gmail' }).rate.value).toBe(null)
  const { body: audit } = await acme.get(`/audit-events?object_id=${made.body.id}`)
  const of = (act: string, details: object) => ({ action: `operator.delivery.ceilings.${act}`, details })
  expect(audit.data).toMatchObject([
    of('remove', { provider: 'gmail', rate: '10/s', reason: 'Not needed' }),
    of('update', { provider: 'gmail', rate: '10/s', reason: 'Too many' }),
    of('create', { provider: 'gmail', connections: 20, rate: '2000/h', reason }),
  ])
})

test.each([
  [{ rate: 'fast' }, /`rate`.*messages in a second/],
  [{ connections: 0 }, /`connections`/],
  [{ message_timeout: '5s' }, /`message_timeout`.*60s/],
  [{ provider: 'no-such', connections: 1 }, /`provider`/],
  [{ provider: 'gmail' }, /Nothing is limited/],
  [{ connections: 1, reason: '' }, /`reason`/],
])('%j is no rule', async (body, message) => {
  const { app } = await startAcme()
  const operator = await operatorOf(app)

  const reply = await operator.post('/operator/delivery/ceilings', { reason: 'A test', ...body })

  expect(reply.status).toBe(422)
  expect(reply.body.message).toMatch(message)
})

test('an operator who is in no team does the same', async () => {
  const { app } = await startAcme()
  const operator = await ACTORS['operator without a team']!(app)
  const ask = (method: 'POST' | 'DELETE', url: string, payload?: object) =>
    operator.send({ method, url, ...(payload && { payload }) })

  const made = await ask('POST', '/operator/delivery/ceilings', {
    domain: 'Example.COM.',
    tls: 'enforced',
    reason: 'Asked for',
  })
  const lifted = await ask('POST', '/operator/delivery/pauses/lift', { destination: 'gmail', reason: 'Asked for' })
  const removed = await ask('DELETE', `/operator/delivery/ceilings/${made.body.id}?reason=x`)

  expect([made.status, lifted.status, removed.status]).toEqual([201, 200, 200])
})

test('mail that waits is listed page by page, and retried, given up or canceled; each team reads of its own', async () => {
  const { app, acme, operator, send } = await start()
  const ids: string[] = []
  for (let n = 0; n < 23; n++) ids.push(await send())
  const later = new Date(app.clock.now().getTime() + 3_600_000)
  await app.db.query(sql`update deliveries set destination = 'gmail', claims = 1, due_at = ${later}`)
  const list = async (query: string) =>
    (await operator.get(`/operator/delivery/waiting?destination=gmail${query}`)).body
  const first = await list('')
  const second = await list(`&after=${encodeURIComponent(first.next)}`)
  expect([first.data.length, second.data.length, second.next]).toEqual([20, 3, null])
  expect(new Set([...first.data, ...second.data].map(({ email_id }) => email_id))).toEqual(new Set(ids))
  expect(first.data[0]).toMatchObject({ state: 'deferred', team_id: acme.team, last_reply: null })
  expect((await operator.get('/operator/delivery/waiting?after=nonsense')).status).toBe(422)

  const steer = async (act: string, body: object) => (await operator.post(`/operator/delivery/${act}`, body)).body
  const reason = 'They have answered'
  const changed = (recipients: number) => ({ object: 'queue_change', recipients, in_flight: 0, is_complete: true })
  expect((await steer('cancel', { reason })).message).toMatch(/Name the mail/)
  expect(await steer('bounce', { email: ids[0], reason })).toEqual(changed(1))
  expect(await steer('cancel', { email: ids[1], team: acme.team, reason })).toEqual(changed(1))
  expect(await steer('retry', { destination: 'gmail', reason })).toEqual(changed(21))
  expect(await steer('cancel', { destination: 'nowhere.example', reason })).toEqual(changed(0))

  expect((await acme.get(`/emails/${ids[0]}`)).body.last_event).toBe('bounced')
  expect((await acme.get(`/emails/${ids[1]}`)).body.last_event).toBe('canceled')
  const { body } = await acme.get('/audit-events?action=queue.retry')
  expect(body.data).toMatchObject([
    { actor: { type: 'user' }, details: { destination: 'gmail', reason, recipients: 21 } },
  ])
})

test('one email, a destination and a tag are held; an email goes with nothing else', async () => {
  const { app, acme } = await startAcme()
  await emptyLedger(app)
  await app.db.query(sql`delete from delivery_holds`)
  const operator = await operatorOf(app)
  const email = await sendEmail(acme)
  const hold = async (body: object) =>
    (await operator.post('/operator/delivery/holds', { reason: 'x', ...body })).status

  expect([
    await hold({ email }),
    await hold({ destination: 'gmail' }),
    await hold({ tag: 'a:b', team: acme.team }),
  ]).toEqual([201, 201, 201])
  const { data } = (await operator.get('/operator/delivery/holds')).body
  const nothing = { team_id: null, email_id: null, domain: null, from: null, destination: null, tag: null }
  expect(data).toMatchObject([
    { ...nothing, team_id: acme.team, email_id: email },
    { ...nothing, destination: 'gmail' },
    { ...nothing, team_id: acme.team, tag: 'a:b' },
  ])
  expect([
    await hold({ email, domain: 'a.dev' }),
    await hold({ email: data[1].id }),
    await hold({ tag: ':b' }),
  ]).toEqual([422, 404, 422])
  for (const { id } of data) await operator.delete(`/operator/delivery/holds/${id}`)
  expect((await operator.get('/operator/delivery/holds')).body.data).toEqual([])
})

test('mail is steered by tag, state and when it is due, and counted by route', async () => {
  const { app, acme } = await startAcme()
  await emptyLedger(app)
  const operator = await operatorOf(app)
  const tagged = await sendEmail(acme, { tags: [{ name: 'campaign', value: 'spring' }] })
  const other = await sendEmail(acme)
  const soon = new Date(app.clock.now().getTime() + 60_000)
  await app.db.query(sql`update deliveries set claims = 1, due_at = ${soon} where email_id = ${tagged}`)
  await app.db.query(sql`update deliveries set route = 'backup' where email_id = ${other}`)
  const { body: byRoute } = await operator.get('/operator/delivery?by=route')
  const { body: waiting } = await operator.get('/operator/delivery/waiting?tag=campaign')
  const steer = async (act: string, body: object) =>
    (await operator.post(`/operator/delivery/${act}`, { reason: 'x', ...body })).body
  const count = async (act: string, body: object) => (await steer(act, body)).recipients

  expect(byRoute.data.map(({ name, waiting, deferred }: Record<string, unknown>) => [name, waiting, deferred])).toEqual(
    expect.arrayContaining([
      ['backup', 1, 0],
      [null, 0, 1],
    ]),
  )
  expect(waiting.data.map((one: { email_id: string }) => one.email_id)).toEqual([tagged])
  expect(await count('retry', { tag: 'campaign:autumn' })).toBe(0)
  expect(await count('retry', { due_before: new Date(soon.getTime() - 1).toISOString() })).toBe(0)
  expect(await count('retry', { tag: 'campaign', due_before: new Date(soon.getTime() + 1).toISOString() })).toBe(1)
  expect(await count('cancel', { states: ['parked', 'held'], team: acme.team })).toBe(0)
  expect(await count('cancel', { states: ['due'], tag: 'campaign:spring' })).toBe(1)
  expect((await steer('cancel', { due_before: 'soon' })).message).toMatch(/`due_before`/)
  expect((await steer('cancel', { states: [] })).name).toBe('validation_error')
})

test('the hold of one email is shown as that', async () => {
  const { app, acme } = await startAcme()
  const operator = await operatorOf(app)
  const email = await sendEmail(acme)
  const hold = await app.db.transaction((trx) =>
    insertHold(trx, scopeOfEmail(acme.team, email), 'Their question comes first'),
  )

  const { body } = await operator.get('/operator/delivery/holds')
  await operator.delete(`/operator/delivery/holds/${hold!.id}`)

  expect(body.data).toMatchObject([{ team_id: acme.team, email_id: email, domain: null, from: null }])
})

test('mail is held and released, with the reason in the log of whom it is about', async () => {
  const { app } = await startAcme()
  const acme = await app.as('held')
  const operator = await operatorOf(app)
  const hold = (body: object) => operator.post('/operator/delivery/holds', { reason: 'Too many complaints', ...body })

  const made = await hold({ team: acme.team, domain: 'Example.COM' })
  const again = await hold({ team: acme.team, domain: 'example.com' })
  const wrong = [await hold({}), await hold({ domain: 'no domain' }), await hold({ team: made.body.id })]
  const id = await sendEmail(acme)
  await app.deliverDue()
  const { body: holds } = await operator.get('/operator/delivery/holds')
  const released = await operator.delete(`/operator/delivery/holds/${made.body.id}`)

  expect([made.status, again.status, ...wrong.map(({ status }) => status)]).toEqual([201, 422, 422, 422, 404])
  expect(holds.data).toMatchObject([{ team_id: acme.team, domain: 'example.com', from: null, recipients: 1 }])
  expect(released.body).toMatchObject({ object: 'mail_hold', deleted: true })
  expect((await operator.get('/operator/delivery/holds')).body.data).toEqual([])
  expect((await acme.get(`/emails/${id}`)).body.last_event).not.toBe('canceled')
  const { body: audit } = await acme.get('/audit-events?limit=100')
  const told = audit.data.map(({ action }: { action: string }) => action)
  expect(told).toContain('queue.hold')
  expect(told).toContain('queue.release')
})
