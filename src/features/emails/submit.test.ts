import { describe, expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { PEER, RICH, submit, written } from '../../../test/harness/arriving.ts'
import { eventually } from '../../../test/harness/service.ts'
import { sql } from '../../kernel/db/sql.ts'
import { PERMISSIONS } from '../api-keys/permissions.ts'
import type { Submitter } from './smtp/submission.ts'

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
      expect(await app.handler.authenticate({ username: 'resend', password }, PEER)).toMatchObject({
        code: 535,
        message: 'Authentication credentials invalid',
      })
  })

  test('is refused within a second when its key was revoked or lost a right meanwhile', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const { id, token } = (await acme.post('/api-keys', { name: 'for a while' })).body
    const user = (await app.handler.authenticate({ username: 'resend', password: token }, PEER)) as Submitter
    expect(await app.handler.renew(user)).toEqual(user)

    await app.db.query(sql`update api_keys set permission = 'sending_access' where id = ${id}`)
    await eventually(async () => {
      const renewed = await app.handler.renew(user)
      return 'actor' in renewed && renewed.actor.permissions === PERMISSIONS.sending_access
    })
    await acme.delete(`/api-keys/${id}`)
    await eventually(async () => 'code' in (await app.handler.renew(user)))

    expect(await app.handler.renew(user)).toMatchObject({ code: 535, message: 'Authentication credentials invalid' })
  })

  test('is refused when it goes in circles, or has two senders', async () => {
    const app = await startApp()
    const client = await app.as('acme')
    const received = Array(51).fill('Received: from here by here')

    expect(await submit(app, client, written({ headers: received }), ['a@x.dev'])).toMatchObject({
      code: 554,
      enhanced: '5.4.6',
    })
    expect(await submit(app, client, written({ headers: ['From: eve@example.org'] }), ['a@x.dev'])).toMatchObject({
      code: 550,
      message: 'Invalid `from` field. A message has one sender.',
    })
    expect((await client.get('/emails')).body.data).toHaveLength(0)
  })

  test('needs no recipient in its header that could be one', async () => {
    const app = await startApp()
    const client = await app.as('acme')

    const answer = await submit(app, client, written({ to: 'root' }), ['a@x.dev'])

    expect((await client.get(`/emails/${idOf(answer)}`)).body).toMatchObject({ to: [], bcc: ['a@x.dev'] })
  })
})

describe('on a laptop', () => {
  const logIn = (app: App, password: string) =>
    app.handler.authenticate({ username: 'somebody', password }, PEER) as Promise<Submitter>

  test('any name and password will do, and a key chooses its team', async () => {
    const app = await startApp()
    await app.db.query(sql`delete from teams`)
    const [first, second] = [await app.as('first'), await app.as('second')]

    for (const password of ['secret', '', 'p w', 'resend_key'])
      expect(await logIn(app, password)).toMatchObject({ token: null, actor: { team: first.team } })
    expect(await logIn(app, second.token)).toMatchObject({ token: second.token, actor: { team: second.team } })

    const user = await logIn(app, 'secret')
    expect(await app.handler.renew(user)).toEqual(user)
    const answer = await app.handler.take({
      raw: written(),
      from: 'a@b.dev',
      recipients: ['a@x.dev'],
      peer: PEER,
      user,
    })
    await app.deliverDue()
    expect((await first.get(`/emails/${idOf(answer)}`)).body).toMatchObject({ last_event: 'delivered' })
  })

  test('what looks like a key and is none is refused, as everywhere', async () => {
    const app = await startApp()
    const acme = await app.as('acme')
    const { body: sandbox } = await acme.post('/sandboxes', {})
    expect(await logIn(app, sandbox.api_key)).toMatchObject({ actor: { team: sandbox.id } })

    await acme.delete(`/sandboxes/${sandbox.id}`)

    for (const password of ['re_made_up_12345678', 're_x', sandbox.api_key])
      expect(await logIn(app, password)).toMatchObject({ code: 535, enhanced: '5.7.8' })
  })

  test('nobody is held up for having tried often', async () => {
    const app = await startApp()
    await app.as('acme')

    const tries = await Promise.all(Array.from({ length: 100 }, (_, n) => logIn(app, `made up ${n}`)))

    expect(tries.every(({ token }) => token === null)).toBe(true)
  })

  test.each([{ POSTWREN_SMTP_AUTH: 'key' }, { POSTWREN_DELIVERY: 'direct' }])(
    'it is a key or nothing with %j',
    async (settings) => {
      const app = await startApp(settings)
      const acme = await app.as('acme')

      expect(await logIn(app, 'secret')).toMatchObject({ code: 535 })
      expect(await logIn(app, acme.token)).toMatchObject({ token: acme.token })
    },
  )
})
