import { Resolver } from 'node:dns/promises'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { Resend } from 'resend'
import { expect, test } from 'vitest'
import { startDnsServer } from '../harness/dns-server.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { relaying } from '../harness/relaying.ts'
import { Service } from '../harness/service.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

async function startRelaying(settings: Record<string, string> = {}) {
  const dns = await startDnsServer()
  const relay = await startMailServer()
  const service = await Service.start({
    settings: {
      ...relaying(relay, dns),
      POSTWREN_HOSTNAME: 'mx.postwren.test',
      ...settings,
    },
  })
  return { dns, relay, service, resend: new Resend(service.token, { baseUrl: service.url }) }
}

test('mail sent with the SDK leaves through the relay with signatures that others verify', async () => {
  const { dns, relay, service, resend } = await startRelaying()
  await verifiedDomain(service, dns, 'acme.dev', { dkim: 'both' })

  const { data } = await resend.emails.send({
    from: 'Acme <hello@acme.dev>',
    to: ['ada@sink.dev', 'Bob <bob@sink.dev>'],
    bcc: 'secret@sink.dev',
    subject: 'Grüße',
    html: '<p>Hello <b>Ada</b></p>',
  })
  await relay.received(3)

  const resolver = new Resolver()
  resolver.setServers([dns.address])
  expect(relay.messages.map(({ to }) => to).sort()).toEqual([['ada@sink.dev'], ['bob@sink.dev'], ['secret@sink.dev']])
  expect(new Set(relay.messages.map(({ from }) => from)).size).toBe(3)
  for (const { from, bytes } of relay.messages) {
    expect(from).toMatch(/@send\.acme\.dev$/)
    expect(bytes.toString()).not.toContain('secret@sink.dev')
    const verified = await dkimVerify(bytes, { resolver: (name) => resolver.resolveTxt(name) })
    expect(verified.results.map(({ status }) => status.result)).toEqual(['pass', 'pass'])
  }
  await service.stored(async () => (await resend.emails.get(data!.id)).data?.last_event === 'delivered')
})

test('beyond this machine only a verified domain may send', async () => {
  const { resend } = await startRelaying()

  const { error } = await resend.emails.send({ from: 'a@nobody.dev', to: 'b@sink.dev', subject: 'x', text: 'x' })

  expect(error).toMatchObject({ statusCode: 403, name: 'validation_error' })
  expect(error!.message).toContain('The `nobody.dev` domain is not verified.')
})

test('a refused recipient bounces, is suppressed, and the others get their mail', async () => {
  const { dns, relay, service, resend } = await startRelaying()
  await verifiedDomain(service, dns, 'acme.dev')
  relay.react(({ step, line }) => (step === 'RCPT' && line.includes('gone@') ? '550 5.1.1 No such user' : undefined))

  const { data } = await resend.emails.send({
    from: 'a@acme.dev',
    to: ['gone@sink.dev', 'here@sink.dev'],
    subject: 'x',
    text: 'x',
  })
  await relay.received(1)
  await service.stored(async () => (await resend.suppressions.get('gone@sink.dev')).data !== null)
  const read = async () => (await service.call('GET', `/emails/${data!.id}`)).body
  await service.stored(async () =>
    (await read()).deliveries.every(({ state }: { state: string }) => state !== 'waiting'),
  )

  const email = await read()
  expect(email.deliveries).toMatchObject([
    { recipient: 'gone@sink.dev', state: 'bounced', replies: [{ reply: expect.stringContaining('5.1.1') }] },
    { recipient: 'here@sink.dev', state: 'delivered' },
  ])
  expect((await resend.suppressions.get('gone@sink.dev')).data).toMatchObject({ origin: 'bounce', source_id: data!.id })
})
