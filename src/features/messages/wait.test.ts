import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { arrive, receivingDomain, written } from '../../../test/harness/arriving.ts'
import { sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { copyEmails, held, holdWaits, idle, idsIn, waitFor } from '../../../test/harness/waiting.ts'
import { sql } from '../../kernel/db/sql.ts'
import { newId } from '../../platform/ids.ts'
import { matcherFor } from './match.ts'

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
      timeout: 55,
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
    const waiting = waitFor(acme, { to: `desk@${domain}`, direction: 'received', text: 'hi.', timeout: 55 })
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
    const waiting = waitFor(acme, { count: 3, timeout: 55 })
    await held(app)

    const others = [await sendEmail(acme), await sendEmail(acme)]

    expect(idsIn(await waiting)).toEqual([...others.reverse(), first])
    const tooFew = await waitFor(acme, { count: 4, timeout: 0 })
    expect(tooFew.body).toMatchObject({ found: false, data: [{}, {}, {}] })
  })

  test('says that nothing came when the time is over', async () => {
    const { app, acme } = await startAcme()

    const waits = holdWaits(app)
    const waiting = waitFor(acme)
    await waits.held()
    waits.end()
    const reply = await waiting

    expect(reply.body).toEqual({ object: 'list', found: false, data: [] })
    vi.restoreAllMocks()
    expect((await waitFor(acme, { timeout: 0.1, absent: 'true' })).body).toEqual({
      object: 'list',
      found: false,
      data: [],
    })
  })

  test('proves that nothing came, or tells of the first that did', async () => {
    const { app, acme } = await startAcme()
    const last = await sendEmail(acme)
    const waiting = waitFor(acme, { absent: 'true', after: last, count: 5, timeout: 55 })
    await held(app)

    const id = await sendEmail(acme)

    expect((await waiting).body).toMatchObject({ found: true, data: [{ id }] })
  })

  test('counts a scheduled mail when it leaves', async () => {
    const { app, acme } = await startAcme()
    const id = await sendEmail(acme, { subject: 'Later', scheduled_at: 'in 1 hour' })
    const after = await sendEmail(acme)
    expect((await waitFor(acme, { subject: 'later', timeout: 0 })).body.found).toBe(false)
    const waiting = waitFor(acme, { subject: 'later', after, timeout: 55 })
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
    const closed = app.server.close()

    // At the end of its time it would have got a list with nothing in it.
    expect(await staying.answered).toEqual({ status: 503, retryAfter: '1' })
    await closed
    expect(app.messageWaits.size).toBe(0)
  })

  test('are at most a hundred of a team, and hold no connection to the database', async () => {
    const { app, acme } = await startAcme()
    const others = Array.from({ length: 99 }, () => app.messageWaits.add(somebody(acme.team)))
    const waiting = waitFor(acme, { timeout: 55, subject: 'go' })
    await held(app, 100)

    const refused = await waitFor(acme)

    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    await idle(app)
    const id = await sendEmail(acme, { subject: 'Go!' })
    expect(idsIn(await waiting)).toEqual([id])
    for (const leave of await Promise.all(others)) leave()
    expect(app.messageWaits.size).toBe(0)
  })

  test('hear of mail that another process has taken', async () => {
    const [here, there] = [await startApp(), await startApp({ POSTWREN_LOG_LEVEL: 'error' })]
    const acme = await here.as('acme')
    const waiting = waitFor(acme, { timeout: 55 })
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
    const waiting = waitFor(acme, { subject: 'needle', timeout: 55 })
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

const somebody = (team: string) => ({
  team,
  matcher: matcherFor({}),
  offer: () => {},
  advanceTo: () => {},
  lookAgain: () => {},
})

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
