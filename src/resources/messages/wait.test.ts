import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { type App, type Client, startApp } from '../../../test/harness/app.ts'
import { arrive, receivingDomain, written } from '../../../test/harness/arriving.ts'
import { sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { OUTBOX_CHANNEL } from '../../outbox/record.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { newId } from '../../platform/ids.ts'
import { matcherFor } from './match.ts'

const waitFor = (client: Client, query: Record<string, string | number> = {}) => {
  const given = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  return client.get(`/messages/wait?${new URLSearchParams(given)}`)
}

const idsIn = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)

/** Resolves when so many calls are held. */
const held = (app: App, count = 1) =>
  vi.waitFor(() => expect(app.messageWaits.size).toBe(count), { interval: 2, timeout: 10_000 })

describe('waiting for messages', () => {
  test('answers at once with what came before, the newest', async () => {
    const { acme } = await startAcme()
    await sendEmail(acme, { to: 'ada@example.com', subject: 'Old' })
    const newest = await sendEmail(acme, { to: 'ada@example.com', subject: 'New', text: 'Your code is 123 456.' })
    await sendEmail(acme, { to: 'mary.ada@example.com' })

    const reply = await waitFor(acme, { to: 'ada@example.com' })

    expect(reply.body).toMatchObject({ object: 'list', found: true, data: [{ id: newest, codes: ['123456'] }] })
    expect(idsIn(await waitFor(acme, { count: 2, from: 'hello@acme.dev', subject: 'ew', timeout: 0 }))).toEqual([
      newest,
    ])
  })

  test('is held until what fits is sent, and not by what does not', async () => {
    const { app, acme } = await startAcme()
    const waiting = waitFor(acme, {
      to: 'ada@example.com',
      subject: 'reset',
      text: 'click here',
      tag: 'kind',
      timeout: 20,
    })
    await held(app)

    const tags = [{ name: 'kind', value: 'reset' }]
    await sendEmail(await app.as('globex'), { subject: 'Reset', text: 'click here', tags })
    await sendEmail(acme, { to: 'bob@example.com', subject: 'Reset', text: 'click here', tags })
    await sendEmail(acme, { subject: 'Hello', text: 'click here', tags })
    await sendEmail(acme, { subject: 'Reset', text: 'or there', tags })
    await sendEmail(acme, { subject: 'Reset', text: 'click here' })
    const id = await sendEmail(acme, {
      to: 'Ada <ADA@example.com>',
      subject: 'Password RESET',
      text: 'Now Click\nhere',
      tags,
    })

    expect(idsIn(await waiting)).toEqual([id])
    expect(app.messageWaits.size).toBe(0)
  })

  test('is held for received mail, too, which is read when it comes', async () => {
    const { app, acme } = await startAcme()
    const { domain } = await receivingDomain(acme)
    const waiting = waitFor(acme, { to: `desk@${domain}`, direction: 'received', text: 'hi.', timeout: 20 })
    await held(app)

    const { message } = await arrive(app, written(), { to: [`desk@${domain}`] })
    await app.runDueJobs()

    expect((await waiting).body).toMatchObject({
      found: true,
      data: [{ id: message, direction: 'received', text: 'Hi.\n' }],
    })
    // Whoever asks without holding the line has it read as well.
    const { message: second } = await arrive(app, written({ subject: 'Two' }), { to: [`desk@${domain}`] })
    expect(idsIn(await waitFor(acme, { subject: 'two', timeout: 0 }))).toEqual([second])
  })

  test('waits for as many as are wanted, some of which may be there', async () => {
    const { app, acme } = await startAcme()
    const first = await sendEmail(acme)
    const waiting = waitFor(acme, { count: 3, timeout: 20 })
    await held(app)

    const others = [await sendEmail(acme), await sendEmail(acme)]

    expect(idsIn(await waiting)).toEqual([...others.reverse(), first])
    const tooFew = await waitFor(acme, { count: 4, timeout: 0 })
    expect(tooFew.body).toMatchObject({ found: false, data: [{}, {}, {}] })
  })

  test('says that nothing came when the time is over', async () => {
    const { acme } = await startAcme()

    const begin = performance.now()
    const reply = await waitFor(acme, { timeout: 0.2 })

    expect(reply.body).toEqual({ object: 'list', found: false, data: [] })
    expect(performance.now() - begin).toBeGreaterThan(190)
    expect((await waitFor(acme, { timeout: 0.1, absent: 'true' })).body).toEqual({
      object: 'list',
      found: false,
      data: [],
    })
  })

  test('proves that nothing came, or tells of the first that did', async () => {
    const { app, acme } = await startAcme()
    const last = await sendEmail(acme)
    const waiting = waitFor(acme, { absent: 'true', after: last, count: 5, timeout: 20 })
    await held(app)

    const id = await sendEmail(acme)

    expect((await waiting).body).toMatchObject({ found: true, data: [{ id }] })
  })

  test('counts a scheduled mail when it leaves', async () => {
    const { app, acme } = await startAcme()
    const id = await sendEmail(acme, { subject: 'Later', scheduled_at: 'in 1 hour' })
    const after = await sendEmail(acme)
    expect((await waitFor(acme, { subject: 'later', timeout: 0 })).body.found).toBe(false)
    const waiting = waitFor(acme, { subject: 'later', after, timeout: 20 })
    await held(app)

    app.clock.advance(3_601)
    await app.deliverDue()

    expect(idsIn(await waiting)).toEqual([id])
  })

  test('refuses what makes no sense, before it holds anything', async () => {
    const { app, acme } = await startAcme()
    const wrong = [
      { timeout: 56 },
      { timeout: -1 },
      { timeout: '1e9' },
      { count: 0 },
      { count: 101 },
      { count: 'x' },
      { after: 'yesterday' },
      { after: '2026-99-99' },
      { absent: 'maybe' },
      { direction: 'up' },
      { to: '' },
      { text: 'a'.repeat(999) },
    ]

    for (const query of wrong) expect([query, (await waitFor(acme, query)).status]).toEqual([query, 422])
    expect((await waitFor(acme, { subject: 'nul \0', timeout: 0 })).status).toBe(422)
    expect(app.messageWaits.size).toBe(0)
    const sending = await app.as('acme', 'sending_access')
    expect((await sending.get('/messages/wait')).status).toBe(401)
  })
})

describe('what came after', () => {
  test('a message are the next ones, however many share a millisecond', async () => {
    const { acme } = await startAcme()
    const sent = [await sendEmail(acme), await sendEmail(acme), await sendEmail(acme)]

    expect(idsIn(await waitFor(acme, { after: sent[0]! }))).toEqual([sent[1]])
    expect(idsIn(await waitFor(acme, { after: sent[1]! }))).toEqual([sent[2]])
    expect((await waitFor(acme, { after: sent[2]!, timeout: 0 })).body.found).toBe(false)
    expect(idsIn(await waitFor(acme, { after: sent[0]!, count: 2 }))).toEqual([sent[2], sent[1]])
  })

  test('a message are not those with greater ids, but those that came later: another process has other ids', async () => {
    const { app, acme } = await startAcme()
    const first = await sendEmail(acme)
    const smaller = `00000000${first.slice(8)}`
    await app.db.transaction((trx) => copyEmails(trx, acme.team, first, [smaller]))

    expect(idsIn(await waitFor(acme, { after: first }))).toEqual([smaller])
    expect((await waitFor(acme, { after: smaller, timeout: 0 })).body.found).toBe(false)
  })

  test('one that nobody knows are those with greater ids', async () => {
    const { app, acme } = await startAcme()
    const sent = [await sendEmail(acme), await sendEmail(acme)]
    await app.db.query(sql`update outbox set xid = null where team_id = ${acme.team}`)

    expect(idsIn(await waitFor(acme, { after: sent[0]! }))).toEqual([sent[1]])
    expect(idsIn(await waitFor(acme, { after: '00000000-0000-7000-8000-000000000000', count: 2 }))).toHaveLength(2)
    expect((await waitFor(acme, { after: newId(app.clock), timeout: 0 })).body.found).toBe(false)
  })

  test('a moment are those of this millisecond and later, in the time of the team', async () => {
    const { app, acme } = await startAcme()
    const DAY = 86_400
    app.clock.putAhead(acme.team, 30 * DAY)
    const now = app.clock.of(acme.team).now()
    const id = await sendEmail(acme)

    expect(idsIn(await waitFor(acme, { after: now.toISOString() }))).toEqual([id])
    expect((await waitFor(acme, { after: new Date(now.getTime() + 1).toISOString(), timeout: 0 })).body.found).toBe(
      false,
    )
    const waiting = waitFor(acme, { after: new Date(now.getTime() + 1_000).toISOString(), timeout: 20 })
    await held(app)
    await sendEmail(acme)
    app.clock.advance(1)
    const later = await sendEmail(acme)
    expect(idsIn(await waiting)).toEqual([later])
  })

  test('is found in whatever order transactions commit', async () => {
    const { app, acme } = await startAcme()
    const [first, slow] = [await sendEmail(acme), newId(app.clock.of(acme.team))]
    let commit = () => {}
    const committed = new Promise<void>((resolve) => {
      commit = resolve
    })
    const begun = new Promise<void>((written) => {
      void app.db.transaction(async (trx) => {
        await copyEmails(trx, acme.team, first, [slow])
        written()
        await committed
      })
    })
    await begun
    const waiting = waitFor(acme, { count: 3, timeout: 20 })
    await held(app)
    const last = await sendEmail(acme)
    await app.messageWaits.look()
    commit()

    expect(idsIn(await waiting)).toEqual([slow, last, first])
  })
})

describe('held calls', () => {
  test('end when the client is gone, and when the service stops', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    await app.server.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.server.address() as AddressInfo
    const call = () => {
      const headers = { authorization: `Bearer ${acme.token}`, connection: 'close' }
      const sent = request({ port, host: '127.0.0.1', path: '/messages/wait?timeout=55', headers })
      const answered = new Promise<{ status: number; retryAfter: string | undefined }>((resolve) =>
        sent.on('response', ({ statusCode, headers }) =>
          resolve({ status: statusCode!, retryAfter: headers['retry-after'] }),
        ),
      )
      sent.on('error', () => {})
      sent.end()
      return { answered, leave: () => sent.destroy() }
    }
    const [leaving, staying] = [call(), call()]
    await held(app, 2)

    leaving.leave()
    await held(app, 1)
    const begin = performance.now()
    const closed = app.server.close()

    expect(await staying.answered).toEqual({ status: 503, retryAfter: '1' })
    await closed
    expect(performance.now() - begin).toBeLessThan(2_000)
    expect(app.messageWaits.size).toBe(0)
  })

  test('are at most a hundred of a team, and hold no connection to the database', async () => {
    const { app, acme } = await startAcme()
    const others = Array.from({ length: 99 }, () => app.messageWaits.add(somebody(acme.team)))
    const waiting = waitFor(acme, { timeout: 20, subject: 'go' })
    await held(app, 100)

    const refused = await waitFor(acme)

    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    await vi.waitFor(() => {
      const { pooled, idle, pipelined } = app.db.load
      expect([pooled - idle, pipelined]).toEqual([0, 0])
    })
    const id = await sendEmail(acme, { subject: 'Go!' })
    expect(idsIn(await waiting)).toEqual([id])
    for (const leave of await Promise.all(others)) leave()
    expect(app.messageWaits.size).toBe(0)
  })

  test('hear of mail that another process has taken', async () => {
    const [here, there] = [await startApp(), await startApp({ POSTWREN_LOG_LEVEL: 'error' })]
    const acme = await here.as('acme')
    const waiting = waitFor(acme, { timeout: 20 })
    await held(here)

    const reply = await there.send(
      {
        method: 'POST',
        url: '/emails',
        payload: { from: 'a@acme.dev', to: 'ada@example.com', subject: 'From there', text: 'Hi' },
      },
      acme.token,
    )

    expect(idsIn(await waiting)).toEqual([reply.body.id])
  })

  test('are told of a flood of mail without losing any', async () => {
    const { app, acme } = await startAcme()
    const first = await sendEmail(acme, { subject: 'One' })
    const waiting = waitFor(acme, { subject: 'needle', timeout: 20 })
    await held(app)

    await app.db.transaction(async (trx) => {
      const ids = Array.from({ length: 700 }, () => newId(trx.clock.of(acme.team)))
      await copyEmails(trx, acme.team, first, ids)
      const needle = ids.at(-1)!
      await trx.query(sql`update emails set subject = 'A needle' where team_id = ${acme.team} and id = ${needle}`)
    })

    expect((await waiting).body.data).toMatchObject([{ subject: 'A needle' }])
  })
})

const somebody = (team: string) => ({ team, matcher: matcherFor({}), offer: () => {}, lookAgain: () => {} })

/** As if another process had accepted them. */
async function copyEmails(trx: Transaction, team: string, of: string, ids: readonly string[]) {
  const clock = trx.clock.of(team)
  await trx.query(sql`
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    select team_id, given.id, message_id, "from", "to", subject, last_event, created_at
    from emails e, unnest(${ids}::uuid[]) as given (id) where team_id = ${team} and e.id = ${of}`)
  await trx.query(sql`
    insert into outbox (team_id, id, type, data, about, created_at)
    select ${team}, event, 'email.sent', '{}', id, ${clock.now()}
    from unnest(${ids}::uuid[], ${ids.map(() => newId(clock))}::uuid[]) as given (id, event)`)
  trx.announce(OUTBOX_CHANNEL)
}

describe('in a sandbox', () => {
  test('a clock that stands still, and then jumps, changes nothing', async () => {
    const app = await startApp()
    await app.startWorkers()
    const acme = await app.as('acme')
    const sandbox = await app.sandboxOf(acme)
    const from = `a@${sandbox.domain}`
    await sandbox.patch('/clock', { is_frozen: true })
    await sendEmail(sandbox, { from, subject: 'Reminder', scheduled_at: 'in 29 days' })
    const first = await sendEmail(sandbox, { from })
    const waiting = acme.get(`/sandboxes/${sandbox.team}/messages/wait?after=${first}&count=2&timeout=20`)
    await held(app)

    const second = await sendEmail(sandbox, { from })
    await sandbox.patch('/clock', { advance: '30 days' })
    const third = (await waitFor(sandbox, { subject: 'reminder' })).body.data[0].id

    expect(idsIn(await waiting)).toEqual([third, second])
    const { now } = (await sandbox.get('/clock')).body
    const last = await sendEmail(sandbox, { from })
    expect(idsIn(await waitFor(sandbox, { after: now }))).toEqual([last])
    expect(idsIn(await waitFor(sandbox, { after: third }))).toEqual([last])
    expect((await acme.get('/messages')).body.data).toEqual([])
  })
})
