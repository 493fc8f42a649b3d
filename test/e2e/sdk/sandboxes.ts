import { createTransport } from 'nodemailer'
import { Resend } from 'resend'
import { expect, test } from 'vitest'
import { startReceiver } from '../../harness/receiver.ts'
import { dataOf, errorOf } from '../../harness/sdk.ts'
import { NOBODY, type SdkContext } from './context.ts'

interface Sandbox {
  readonly id: string
  readonly api_key: string
  readonly domain: string
  readonly smtp: { readonly host: string; readonly port: number; readonly user: string; readonly password: string }
}

/** An application under test needs no more than another key, or another base URL, or another SMTP login. */
export function sandboxTests(context: SdkContext) {
  const start = async () => {
    const { service } = context
    const { status, body } = await service.call('POST', '/sandboxes', { name: 'SDK' })
    expect(status).toBe(201)
    const sandbox: Sandbox = body
    const call = async (method: string, path: string, given?: unknown) =>
      (await service.call(method, path, given, sandbox.api_key)).body
    return { service, sandbox, call, own: new Resend(sandbox.api_key, { baseUrl: service.url }) }
  }
  const mail = (sandbox: Sandbox, subject: string) => ({
    from: `Acme <hello@${sandbox.domain}>`,
    to: 'ada@example.com',
    subject,
    html: '<p>Your code is 123-456. <a href="https://acme.example/confirm">Confirm</a></p>',
  })

  test('with the key of a sandbox, or below its path with that of the team, the SDK works in it', async () => {
    const { service, sandbox, call, own } = await start()
    const below = new Resend(service.token, { baseUrl: `${service.url}/sandboxes/${sandbox.id}` })

    const one = await dataOf(own.emails.send(mail(sandbox, 'One')))
    const two = await dataOf(below.emails.send(mail(sandbox, 'Two')))
    const batch = await dataOf(own.batch.send([mail(sandbox, 'Three'), mail(sandbox, 'Four')]))

    const waited = await call('GET', '/messages/wait?to=ada@example.com&count=4&timeout=20')
    expect(waited.found).toBe(true)
    expect(waited.data.map(({ id }: { id: string }) => id).sort()).toEqual(
      [one.id, two.id, ...batch.data.map(({ id }) => id)].sort(),
    )
    expect(waited.data[0]).toMatchObject({ codes: ['123456'], links: [{ target: 'https://acme.example/confirm' }] })
    expect((await dataOf(below.emails.get(one.id))).subject).toBe('One')
    expect(await errorOf(context.resend.emails.get(one.id))).toMatchObject({ statusCode: 404 })
    expect(await errorOf(own.domains.get(NOBODY))).toMatchObject({ statusCode: 404 })
  })

  test('contacts, a broadcast and its webhook are as they are elsewhere', async () => {
    const { sandbox, own, call } = await start()
    const receiver = await startReceiver()
    await dataOf(own.webhooks.create({ endpoint: receiver.url, events: ['email.delivered'] }))
    const segment = await dataOf(own.segments.create({ name: 'Early' }))
    await dataOf(own.contacts.create({ email: 'ada@example.com', segments: [{ id: segment.id }] }))
    const letter = { ...mail(sandbox, 'News'), name: 'News', segmentId: segment.id }
    const { id } = await dataOf(own.broadcasts.create(letter as Parameters<typeof own.broadcasts.create>[0]))
    await dataOf(own.broadcasts.send(id))

    expect((await call('GET', '/messages/wait?subject=News&timeout=20')).data[0].to).toEqual(['ada@example.com'])
    await receiver.reached(1)
    expect(receiver.received[0]!.event).toMatchObject({ type: 'email.delivered', data: { subject: 'News' } })
  })

  test('what is scheduled for next week is there when the clock has got there', async () => {
    const { sandbox, own, call } = await start()
    const scheduledAt = new Date(Date.now() + 7 * 86_400_000).toISOString()
    const { id } = await dataOf(own.emails.send({ ...mail(sandbox, 'Reminder'), scheduledAt }))
    expect((await call('GET', '/messages/wait?subject=Reminder&timeout=0')).found).toBe(false)

    const clock = await call('PATCH', '/clock', { advance: '8 days' })

    expect(clock).toMatchObject({ object: 'clock', is_complete: true })
    expect((await dataOf(own.emails.get(id))).last_event).toBe('delivered')
  })

  test('mail by SMTP with its login, and mail to its domain, is its own', async () => {
    const { sandbox, call, own } = await start()
    const { host, port, user, password } = sandbox.smtp
    const server = { host, port, tls: { rejectUnauthorized: false } }
    const message = { from: `hello@${sandbox.domain}`, to: 'ada@example.com', text: 'Hi' }

    await createTransport({ ...server, auth: { user, pass: password } }).sendMail({ ...message, subject: 'Submitted' })
    const stranger = createTransport(server)
    await stranger.sendMail({ ...message, to: `anything@${sandbox.domain}`, subject: 'Received' })

    const waited = await call('GET', '/messages/wait?count=2&timeout=20')
    expect(
      waited.data.map(({ subject, direction }: Record<string, string>) => `${direction}: ${subject}`).sort(),
    ).toEqual(['received: Received', 'sent: Submitted'])
    expect((await own.emails.receiving.list()).data?.data).toHaveLength(1)
  })

  test('when it is deleted its key opens nothing, by HTTP and by SMTP', async () => {
    const { service, sandbox, own } = await start()
    await dataOf(own.emails.send(mail(sandbox, 'One')))

    expect((await service.call('DELETE', `/sandboxes/${sandbox.id}`)).body.deleted).toBe(true)

    expect(await errorOf(own.emails.list())).toMatchObject({ name: 'invalid_api_key' })
    const stranger = createTransport({ host: '127.0.0.1', port: sandbox.smtp.port, tls: { rejectUnauthorized: false } })
    await expect(stranger.sendMail({ from: 'a@b.example', to: `x@${sandbox.domain}`, text: 'x' })).rejects.toThrow(
      '550',
    )
  })
}
