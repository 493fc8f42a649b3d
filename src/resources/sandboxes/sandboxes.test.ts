import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'

const HOUR = 3_600

test('a sandbox is a team of its own, with a key, a verified domain and an end', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const { status, body } = await acme.post('/sandboxes', { name: 'sign-up', seed: 7 })

  expect(status).toBe(201)
  expect(body).toEqual({
    object: 'sandbox',
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8/),
    name: 'sign-up',
    seed: '7',
    domain: `${body.id}.sandbox.test`,
    now: app.clock.now().toISOString(),
    created_at: app.clock.now().toISOString(),
    expires_at: new Date(app.clock.now().getTime() + HOUR * 1_000).toISOString(),
    api_key: expect.stringMatching(/^re_/),
    smtp: { host: '127.0.0.1', port: app.config.SMTP_PORT, user: 'resend', password: body.api_key },
  })
  const { api_key: _key, smtp: _smtp, ...shown } = body
  expect((await acme.get(`/sandboxes/${body.id}`)).body).toEqual(shown)
  const { object: _object, ...item } = shown
  expect((await acme.get('/sandboxes')).body.data).toEqual([item])
})
