import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Resend } from 'resend'
import { expect, test } from 'vitest'
import { dataOf } from '../harness/sdk.ts'
import { dataFolder, eventually, isDatabaseRunning, Service } from '../harness/service.ts'

test('a second process joins the database of the first, soon refuses the keys that the first revokes, and goes on when that one stops', async () => {
  const first = await Service.start()
  const second = await Service.start({ dataDir: first.dataDir })
  const { body: contact } = await first.call('POST', '/contacts', { email: 'ada@example.com' })

  expect((await second.call('GET', `/contacts/${contact.id}`)).body.email).toBe('ada@example.com')

  const { body: key } = await first.call('POST', '/api-keys', { name: 'Short-lived' })
  expect((await second.call('GET', '/topics', undefined, key.token)).status).toBe(200)
  await first.call('DELETE', `/api-keys/${key.id}`)
  expect((await first.call('GET', '/topics', undefined, key.token)).status).toBe(403)
  await eventually(async () => (await second.call('GET', '/topics', undefined, key.token)).status === 403, 1_000)
  expect((await second.call('GET', '/topics')).status).toBe(200)

  expect(await first.stop()).toBe(0)
  const created = await second.call('POST', '/contacts', { email: 'bob@example.com' })
  expect(created.status).toBe(201)
  expect(second.stdout).not.toContain('API key')

  expect(await second.stop()).toBe(0)
  expect(await isDatabaseRunning(first.dataDir)).toBe(false)
})

/** Each takes a second of CPU to start. */
const MANY = process.env.POSTWREN_TEST_NIGHT ? 10 : 5

test(`of ${MANY} processes that start at once one migrates, one makes the key, and all of them work`, async () => {
  const dataDir = dataFolder({ isMigrated: false })

  const services = await Promise.all(Array.from({ length: MANY }, () => Service.launch({ dataDir })))
  await Promise.all(services.map((service) => service.running()))
  const replies = await Promise.all(
    services.map((service, number) => service.call('POST', '/contacts', { email: `c${number}@example.com` })),
  )
  const { body: keys } = await services[0]!.call('GET', '/api-keys')
  const { body: contacts } = await services.at(-1)!.call('GET', '/contacts')

  expect(services.filter(({ stdout }) => stdout.includes('API key'))).toHaveLength(1)
  expect(keys.data).toHaveLength(1)
  expect(replies.map(({ status }) => status)).toEqual(services.map(() => 201))
  expect(contacts.data).toHaveLength(MANY)
  expect(await Promise.all(services.map((service) => service.stop()))).toEqual(services.map(() => 0))
  expect(await isDatabaseRunning(dataDir)).toBe(false)
})

test('a process for jobs alone has no API, and does what a process for the API alone hands it', async () => {
  const dataDir = dataFolder()
  const api = await Service.start({ dataDir, settings: { POSTWREN_ROLES: 'api' } })
  const resend = new Resend(api.token, { baseUrl: api.url })
  const file = new Blob(['email\nada@example.com\nbob@example.com\n'])
  const { id } = await dataOf(resend.contacts.imports.create({ file }))
  expect((await dataOf(resend.contacts.imports.get(id))).status).toBe('queued')
  const { checks, ...alone } = (await api.call('GET', '/readyz')).body
  expect([alone.status, checks.missing_roles]).toEqual(['degraded', ['delivery', 'jobs']])
  const metrics = await (await fetch(`${api.url}/metrics`)).text()
  expect(metrics).toMatch(/^postwren_deliveries_oldest_due_seconds\{kind="single"\} 0$/m)
  expect(metrics).toMatch(/^postwren_role_processes\{role="delivery"\} 0$/m)

  const jobs = await Service.start({ dataDir, settings: { POSTWREN_ROLES: 'jobs' } })
  await api.stored(async () => (await dataOf(resend.contacts.imports.get(id))).status === 'completed')

  expect((await dataOf(resend.contacts.imports.get(id))).counts.created).toBe(2)
  expect((await jobs.call('GET', '/health')).body).toEqual({ status: 'ok' })
  expect((await jobs.call('GET', '/contacts')).body).toEqual({
    statusCode: 404,
    message: 'The requested endpoint does not exist.',
    name: 'not_found',
  })
  expect(jobs.stdout).not.toMatch(/curl|API {2}/)
  const { id: next } = await dataOf(resend.contacts.imports.create({ file }))
  await api.stored(async () => (await dataOf(resend.contacts.imports.get(next))).status === 'completed')
})

test('a start that cannot keep its first key makes none, and the next one does', async () => {
  const dataDir = dataFolder()
  const inTheWay = join(dataDir, 'api-key')
  mkdirSync(inTheWay)

  const failed = await Service.launch({ dataDir })
  expect(await failed.ended()).toBe(1)
  rmSync(inTheWay, { recursive: true })
  const service = await Service.start({ dataDir })

  expect(service.stdout).toContain(`stored in ${inTheWay}`)
  expect((await service.call('GET', '/topics')).status).toBe(200)
})
