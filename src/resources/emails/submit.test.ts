import { describe, expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../test/harness/app.ts'
import { PEER, RICH, written } from '../../../test/harness/arriving.ts'
import { eventually } from '../../../test/harness/service.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Submitter } from '../../roles/smtp-desk.ts'

/** Logs in with the key of a client and submits, as the SMTP listener does. */
async function submit(app: App, client: Client, raw: Buffer, recipients: readonly string[]) {
  const user = (await app.desk.authenticate({ username: 'resend', password: client.token }, PEER)) as Submitter
  return app.desk.take({ raw, from: 'me@example.com', recipients, peer: PEER, user })
}

const idOf = (answer: { message: string }) => answer.message

describe('a message that a client submits', () => {
  test('is an email like any other', async () => {
    const app = await startApp()
    const client = await app.as('acme')

    const answer = await submit(app, client, RICH, ['desk@inbox.example'])
    await app.deliverDue()

    const email = (await client.get(`/emails/${idOf(answer)}`)).body
    expect(email).toMatchObject({
      from: 'Ada <ada@example.net>',
      to: ['desk@inbox.example'],
      subject: 'Hello',
      message_id: '<one@example.net>',
      last_event: 'delivered',
    })
    expect(email.html).toContain('Grüße')
    expect((await client.get(`/emails/${email.id}/attachments`)).body.data).toMatchObject([
      { filename: 'notes.txt' },
      { filename: 'logo.png', content_id: 'logo@example.net' },
    ])
    expect((await client.events()).map(({ type }) => type)).toEqual(['email.sent', 'email.delivered'])
  })

  test('goes to those on its envelope; who is not in its header is a blind copy', async () => {
    const app = await startApp()
    const client = await app.as('acme')
    const raw = written({ to: 'Ada <ada@x.dev>, Bob <bob@x.dev>', headers: ['Cc: carl@x.dev'] })

    const answer = await submit(app, client, raw, ['ADA@x.dev', 'carl@x.dev', 'eve@x.dev'])

    const email = (await client.get(`/emails/${idOf(answer)}`)).body
    expect(email).toMatchObject({ to: ['Ada <ada@x.dev>', 'Bob <bob@x.dev>'], cc: ['carl@x.dev'], bcc: ['eve@x.dev'] })
    expect(email.deliveries.map(({ recipient }: { recipient: string }) => recipient)).toEqual([
      'ADA@x.dev',
      'carl@x.dev',
      'eve@x.dev',
    ])
  })

  test('keeps its own headers, and none that are ours to write', async () => {
    const app = await startApp()
    const client = await app.as('acme')
    const raw = written({ headers: ['X-Order: 42', 'DKIM-Signature: v=1; a=b', 'In-Reply-To: <two@example.net>'] })

    const answer = await submit(app, client, raw, ['a@x.dev'])

    const [{ headers }] = (await app.db.query<{ headers: { name: string }[] }>(
      sql`select headers from emails where id = ${idOf(answer)}`,
    )) as [{ headers: { name: string; value: string }[] }]
    expect(headers).toEqual([
      { name: 'X-Order', value: '42' },
      { name: 'In-Reply-To', value: '<two@example.net>' },
    ])
  })

  test('happens once for an idempotency key', async () => {
    const app = await startApp()
    const client = await app.as('acme')
    const raw = written({ headers: ['Resend-Idempotency-Key: order-42'] })

    const answers = [await submit(app, client, raw, ['a@x.dev']), await submit(app, client, raw, ['a@x.dev'])]
    const other = await submit(app, client, raw, ['b@x.dev'])

    expect(answers[0]).toEqual(answers[1])
    expect(other).toMatchObject({ kind: 'refused', code: 550 })
    expect((await client.get('/emails')).body.data).toHaveLength(1)
  })

  test('is refused with the words of the API', async () => {
    const app = await startApp({ POSTWREN_DELIVERY: 'direct' })
    const client = await app.as('acme')

    expect(await submit(app, client, written(), ['a@x.dev'])).toMatchObject({
      kind: 'refused',
      code: 550,
      message: expect.stringContaining('The `example.net` domain is not verified.'),
    })
    expect(await submit(app, client, Buffer.from('Subject: x\r\n\r\nhi'), ['a@x.dev'])).toMatchObject({
      code: 550,
      message: 'Missing `from` field.',
    })
  })

  test('with a wrong key is not even looked at', async () => {
    const app = await startApp({ POSTWREN_SMTP_AUTH: 'key' })

    for (const password of ['re_wrong', '', 'x y'])
      expect(await app.desk.authenticate({ username: 'resend', password }, PEER)).toMatchObject({
        code: 535,
        message: 'Authentication credentials invalid',
      })
  })

  test('is refused within a second when its key was revoked or lost a right meanwhile', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const { id, token } = (await acme.post('/api-keys', { name: 'for a while' })).body
    const user = (await app.desk.authenticate({ username: 'resend', password: token }, PEER)) as Submitter
    expect(await app.desk.renew(user)).toEqual(user)

    await app.db.query(sql`update api_keys set permission = 'sending_access' where id = ${id}`)
    await eventually(async () => {
      const renewed = await app.desk.renew(user)
      return 'caller' in renewed && renewed.caller.permission === 'sending_access'
    }, 5_000)
    await acme.delete(`/api-keys/${id}`)
    await eventually(async () => 'code' in (await app.desk.renew(user)), 5_000)

    expect(await app.desk.renew(user)).toMatchObject({ code: 535, message: 'Authentication credentials invalid' })
  })
})
