import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { createMetricsServer } from './metrics-routes.ts'

const TOKEN = 'a-token-for-prometheus'
const read = { method: 'GET', url: '/metrics' } as const
const bearing = (token: string) => ({ ...read, headers: { authorization: `Bearer ${token}` } })

test('on a laptop the metrics are there for the asking', async () => {
  const app = await startApp()

  const { status, text } = await app.send(read)

  expect(status).toBe(200)
  expect(text).toContain('postwren_refused_logins_total{door="http",reason="invalid"} 0\n')
})

test.each([{ POSTWREN_HOST: '0.0.0.0' }, { POSTWREN_PUBLIC_URL: 'https://mail.example.com' }])(
  'where others may come by they are not, and it says how to get at them: %o',
  async (settings) => {
    const app = await startApp(settings)

    const { status, body } = await app.send(read)

    expect([status, body.name]).toEqual([404, 'not_found'])
    expect(body.message).toMatch(/POSTWREN_METRICS_TOKEN or POSTWREN_METRICS_PORT/)
  },
)

test('with a token they are for who has it, wherever', async () => {
  const app = await startApp({ POSTWREN_METRICS_TOKEN: TOKEN, POSTWREN_HOST: '0.0.0.0' })

  expect((await app.send(read)).status).toBe(401)
  expect((await app.send(bearing(`${TOKEN}x`))).status).toBe(403)
  expect((await app.send(bearing(TOKEN.slice(1)))).status).toBe(403)
  expect((await app.send(bearing(TOKEN))).status).toBe(200)
})

test('a token holds on a laptop too', async () => {
  const app = await startApp({ POSTWREN_METRICS_TOKEN: TOKEN })

  expect((await app.send(read)).status).toBe(401)
})

test('with a port of their own they are there, and not here', async () => {
  const app = await startApp({ POSTWREN_METRICS_PORT: '0', POSTWREN_METRICS_TOKEN: TOKEN })
  const server = createMetricsServer(app.services).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const statusOf = async (path: string, options: RequestInit = {}) => {
    const answer = await fetch(url + path, { ...options, headers: { connection: 'close', ...options.headers } })
    return { status: answer.status, text: await answer.text() }
  }
  const authorization = `Bearer ${TOKEN}`

  expect((await app.send(bearing(TOKEN))).status).toBe(404)
  const { status, text } = await statusOf('/metrics', { headers: { authorization } })
  expect([status, text]).toEqual([200, expect.stringContaining('postwren_http_request_duration_seconds')])
  expect(await statusOf('/metrics')).toEqual({ status: 401, text: expect.stringContaining('"missing_metrics_token"') })
  expect(await statusOf('/metrics', { headers: { authorization: 'Bearer no' } })).toEqual({
    ...{ status: 403, text: expect.stringContaining('"invalid_metrics_token"') },
  })
  expect(await statusOf('/emails', { headers: { authorization } })).toMatchObject({ status: 404 })
  expect(await statusOf('/metrics', { method: 'POST', headers: { authorization } })).toMatchObject({ status: 404 })
  expect(await app.metrics.render()).toContain('postwren_refused_logins_total{door="metrics",reason="invalid"} 1\n')
})
