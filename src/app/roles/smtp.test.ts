import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { TestClient } from '../../../test/harness/smtp-client.ts'
import { createSmtp } from './smtp.ts'

/** The listener that `serve` starts with these settings, on a free port of this machine. */
async function listenWith(settings: Record<string, string> = {}) {
  const app = await startApp({ POSTWREN_SMTP_PORT: '0', ...settings })
  const data = { DATA_DIR: app.folder }
  const smtp = createSmtp({ ...app.services, config: { ...app.config, ...data, SMTP_HOST: '127.0.0.1' } })
  await smtp.start()
  onTestFinished(() => smtp.stop(0))
  return { app, port: smtp.addresses[0]!.port }
}

const MAIL = { from: 'app@example.org', to: 'ada@example.com', subject: 'Hello', text: 'Hi' }

test('a mail client with default settings sends on a laptop, with a made-up password, a key, or none', async () => {
  const { app, port } = await listenWith()
  const { token } = await app.as('acme')

  for (const auth of [{ user: 'me', pass: 'made-up' }, { user: 'resend', pass: token }, undefined])
    expect((await createTransport({ host: '127.0.0.1', port, ...(auth && { auth }) }).sendMail(MAIL)).response).toMatch(
      /^250 /,
    )
})

test('who wants TLS on a laptop switches it on', async () => {
  const { app, port } = await listenWith({ POSTWREN_SMTP_STARTTLS: 'on' })
  await app.as('acme')
  const transport = createTransport({
    ...{ host: '127.0.0.1', port, requireTLS: true },
    tls: { rejectUnauthorized: false },
  })

  expect((await transport.sendMail(MAIL)).response).toMatch(/^250 /)
})

test('where mail leaves STARTTLS is offered, whoever has signed the certificate', async () => {
  const { port } = await listenWith({ POSTWREN_DELIVERY: 'direct' })
  const client = await TestClient.ready(port)

  expect(await client.ask('EHLO client.test')).toContain('250-STARTTLS')
})
