import { describe, expect, test } from 'vitest'
import { addVerifiedDomain, readEmail, SIMPLE, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'

const DIRECT = { POSTWREN_DELIVERY: 'direct' }
const RELAY = { POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://127.0.0.1:1' }

describe('a key that may only send', () => {
  test('sends, one or many, and does nothing else', async () => {
    const { app } = await startAcme()
    const sender = await app.as('acme', 'sending_access')

    expect((await sender.post('/emails', SIMPLE)).status).toBe(200)
    expect((await sender.post('/emails/batch', [SIMPLE])).status).toBe(200)
    const id = newId()
    const others = [
      ['GET', '/emails'],
      ['GET', `/emails/${id}`],
      ['PATCH', `/emails/${id}`],
      ['POST', `/emails/${id}/cancel`],
      ['POST', `/emails/${id}/share`],
      ['GET', `/emails/${id}/attachments`],
      ['GET', `/emails/${id}/attachments/${id}`],
      ['GET', '/emails/metrics'],
    ] as const
    for (const [method, url] of others) {
      const reply = await sender.send({ method, url })

      expect(reply.body, url).toEqual({
        statusCode: 401,
        message: 'This API key is restricted to only send emails.',
        name: 'restricted_api_key',
      })
    }
  })

  test('sends from its own domain only when it is bound to one', async () => {
    const { app, acme } = await startAcme()
    const domain = await addVerifiedDomain(app, acme, 'bound.dev')
    await addVerifiedDomain(app, acme, 'other.dev')
    const { body: key } = await acme.post('/api-keys', {
      name: 'Bound',
      permission: 'sending_access',
      domain_id: domain,
    })
    const sendFrom = (from: string) =>
      app.send({ method: 'POST', url: '/emails', payload: { ...SIMPLE, from } }, key.token)

    const own = await sendFrom('Ada <ada@Bound.dev>')
    const [sibling, stranger, below] = await Promise.all(
      ['a@other.dev', 'a@unknown.dev', 'a@mail.bound.dev'].map(sendFrom),
    )

    expect(own.status).toBe(200)
    for (const reply of [sibling, stranger, below])
      expect(reply!.body).toMatchObject({ statusCode: 403, name: 'validation_error' })
    expect(stranger!.body.message).toBe('This API key is not authorized to send emails from unknown.dev')
  })
})

describe('while nothing leaves the machine', () => {
  test('anybody may be the sender, and anybody the recipient', async () => {
    const { acme } = await startAcme()

    const reply = await acme.post('/emails', { ...SIMPLE, from: 'me@nobodys-domain.dev', to: 'you@example.com' })

    expect(reply.status).toBe(200)
  })
})

describe.each([
  ['direct', DIRECT],
  ['relay', RELAY],
])('in %s mode', (_mode, settings) => {
  const REAL = { ...SIMPLE, to: 'ada@real.dev' }

  test('the domain of the sender must be verified', async () => {
    const { app, acme } = await startAcme(settings)
    const globex = await app.as('globex')
    const name = `d-${newId()}.dev`
    await addVerifiedDomain(app, globex, name)
    await acme.post('/domains', { name: `pending-${name}`, dkim: 'ed25519' })

    for (const domain of [name, `pending-${name}`, `mail.${name}`, 'unknown.dev']) {
      const reply = await acme.post('/emails', { ...REAL, from: `Ada <ada@${domain}>` })

      expect(reply.body, domain).toEqual({
        statusCode: 403,
        message: `The \`${domain}\` domain is not verified. Please, add and verify your domain.`,
        name: 'validation_error',
      })
    }
    expect((await globex.post('/emails', { ...REAL, from: `Ada <ada@${name.toUpperCase()}>` })).status).toBe(200)
    expect((await acme.get('/emails')).body.data).toEqual([])
  })

  test('an internationalised domain is the same domain in both spellings', async () => {
    const { app, acme } = await startAcme(settings)
    const label = newId()
    await addVerifiedDomain(app, acme, `grüße-${label}.dev`)

    const { status, body } = await acme.post('/emails', { ...REAL, from: `ada@grüße-${label}.dev` })

    expect(status).toBe(200)
    expect((await readEmail(acme, body.id)).message_id).toMatch(/@xn--[a-z0-9-]+\.dev>$/)
  })

  test('addresses that exist for documents only are refused', async () => {
    const { app, acme } = await startAcme(settings)
    const name = `d-${newId()}.dev`
    await addVerifiedDomain(app, acme, name)
    const post = (fields: object) => acme.post('/emails', { ...REAL, from: `ada@${name}`, ...fields })
    const unreachable = [
      'a@example.com',
      'A@EXAMPLE.ORG',
      'a@mail.example.net',
      'a@test.com',
      'a@any.test',
      'a@b.invalid',
    ]

    for (const address of unreachable) {
      for (const fields of [{ to: address }, { cc: address }, { bcc: ['ada@real.dev', address] }]) {
        const reply = await post(fields)

        expect(reply.body, address).toEqual({
          statusCode: 422,
          message: 'Invalid `to` field. Please use our testing email address instead of domains like `example.com`.',
          name: 'validation_error',
        })
      }
    }
    for (const to of ['a@myexample.com', 'a@example.community', 'a@contest.com', 'delivered+x@resend.dev'])
      expect((await post({ to })).status, to).toBe(200)
  })
})
