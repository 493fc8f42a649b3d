import { describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { arrive, RICH, receivingDomain } from '../../../test/harness/arriving.ts'
import { emptyLedger, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { inboxOf, messagesIn, receive } from '../../../test/harness/filed-mail.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { newId } from '../../../test/harness/ids.ts'
import { DELIVERED, scriptedTransport } from '../../../test/harness/transport.ts'
import { sql } from '../../kernel/db/sql.ts'

describe('deleting messages', () => {
  test('takes them away with all that was kept of them, and leaves what was counted', async () => {
    const { app, acme } = await startAcme()
    const { domain } = await receivingDomain(acme)
    const sent = await sendEmail(acme, { attachments: [{ filename: 'a.txt', content: 'aGk=' }] })
    const { message: received } = await arrive(app, RICH, { to: [`desk@${domain}`] })
    await acme.patch(`/messages/${sent}`, { is_read: true })
    await acme.get(`/messages/${received}`)

    expect((await acme.delete(`/messages/${sent}`)).body).toEqual({ object: 'message', id: sent, deleted: true })
    expect((await acme.delete(`/messages/${received}`)).status).toBe(200)

    for (const id of [sent, received]) expect((await acme.get(`/messages/${id}`)).status).toBe(404)
    expect((await acme.delete(`/messages/${sent}`)).status).toBe(404)
    expect((await acme.get(`/emails/${sent}`)).status).toBe(404)
    expect((await acme.get('/messages')).body.data).toEqual([])
    const left = await app.db.query(sql`
      select (select count(*)::int from loose_blobs where key like ${`%${sent}%`} or key like ${`%${received}%`}) as loose,
        (select count(*)::int from deliveries where team_id = ${acme.team}) as ledger,
        (select count(*)::int from message_marks where team_id = ${acme.team}) as marks,
        (select sum(sent)::int from metric_counts where team_id = ${acme.team}) as counted`)
    expect(left).toEqual([{ loose: 3, ledger: 0, marks: 0, counted: 1 }])
    const [event] = await app.db.query(sql`
      select action, object_id from audit_events where team_id = ${acme.team} order by id desc limit 1`)
    expect(event).toMatchObject({ action: 'messages.remove', object_id: received })
  })

  test('is for all of them, or for those that fit; what is scheduled stays', async () => {
    const { app, acme } = await startAcme()
    const globex = await app.as('globex')
    await sendEmail(globex, { subject: 'Theirs' })
    const scheduled = await sendEmail(acme, { scheduled_at: 'in 1 hour' })
    for (const subject of ['One', 'Two', 'Two more']) await sendEmail(acme, { subject })

    expect((await acme.delete('/messages?subject=two')).body).toEqual({ object: 'list', deleted: 2, has_more: false })
    expect((await acme.delete('/messages?to=')).status).toBe(422)
    expect((await acme.delete('/messages')).body.deleted).toBe(1)
    expect((await acme.delete('/messages')).body.deleted).toBe(0)

    expect((await acme.get(`/emails/${scheduled}`)).status).toBe(200)
    expect((await globex.get('/messages')).body.data).toHaveLength(1)
  })

  test('is refused where mail is for real people, but not in a sandbox', async () => {
    const app = await startApp({ POSTWREN_DELIVERY: 'direct', POSTWREN_SANDBOXES: 'on' })
    const acme = await app.as('acme')
    const sandbox = await app.sandboxOf(acme)
    const id = await sendEmail(sandbox, { from: `a@${sandbox.domain}` })

    for (const path of ['/messages', `/messages/${newId()}`])
      expect((await acme.delete(path)).body).toMatchObject({
        statusCode: 403,
        message: expect.stringMatching(/sandboxes/),
      })
    expect((await sandbox.delete(`/messages/${id}`)).status).toBe(200)
  })

  test('of one that is being delivered leaves the worker with nothing to settle', async () => {
    const gate = makeGate()
    const begun = makeGate()
    const script = scriptedTransport(async () => {
      begun.open()
      await gate.opened
      return DELIVERED
    })
    const { app, acme } = await startAcme({}, script)
    await emptyLedger(app)
    const id = await sendEmail(acme)
    const delivering = app.deliverDue()
    await begun.opened

    expect((await acme.delete(`/messages/${id}`)).status).toBe(200)
    gate.open()
    await delivering

    expect((await acme.events()).map(({ type }) => type)).toEqual(['email.sent'])
    const other = await sendEmail(acme)
    await app.deliverDue()
    expect((await acme.get(`/messages/${other}`)).body.status).toBe('delivered')
  })

  test('takes them out of inboxes: a thread tells what is left of it, and goes with its last message', async () => {
    const app = await startApp()
    const { client, address, id: inbox } = await inboxOf(app, 'acme')
    const [first, second] = await receive(
      app,
      address,
      { subject: 'Question', id: '<q1@example.net>', from: 'Ada <ada@example.net>' },
      {
        subject: 'Re: Question',
        id: '<q2@example.net>',
        from: 'Bob <bob@example.net>',
        references: ['<q1@example.net>'],
      },
    )
    const threads = async () => (await client.get(`/inboxes/${inbox}/threads`)).body.data
    const counts = async () => {
      const [row] = await app.db.query<{ unread: number }>(sql`select unread from inboxes where id = ${inbox}`)
      return row!.unread
    }
    expect([(await threads()).length, await counts()]).toEqual([1, 1])

    await client.delete(`/messages/${second}`)
    const [left] = await threads()
    const [thread] = await app.db.query(sql`
      select subject, emails, unread, traffic, newest_id, shown_id from inbox_threads where id = ${left.id}`)
    expect(thread).toEqual({
      subject: 'Question',
      emails: 1,
      unread: 1,
      traffic: 'inbound',
      newest_id: first,
      shown_id: first,
    })
    await client.delete(`/messages/${first}`)

    expect(await threads()).toEqual([])
    expect(await messagesIn(app, client, inbox)).toEqual([])
    expect(await counts()).toBe(0)
    // What waits to be filed and is gone by then is passed over.
    const id = await receiveUnfiled()
    await client.delete(`/messages/${id}`)
    await app.fileMail()
    expect(await threads()).toEqual([])

    async function receiveUnfiled() {
      const { message } = await arrive(app, RICH, { to: [address] })
      await app.runDueJobs()
      return message
    }
  })
})
