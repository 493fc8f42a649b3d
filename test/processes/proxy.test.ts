import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Resend } from 'resend'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ReportData } from '../../src/app/commands/proxy/report.ts'
import { apiKeyTests } from '../e2e/sdk/api-keys.ts'
import { segmentTests } from '../e2e/sdk/audiences.ts'
import { automationTests } from '../e2e/sdk/automations.ts'
import { broadcastTests } from '../e2e/sdk/broadcasts.ts'
import { contactPropertyTests } from '../e2e/sdk/contact-properties.ts'
import { contactTests } from '../e2e/sdk/contacts.ts'
import { domainTests } from '../e2e/sdk/domains.ts'
import { emailTests } from '../e2e/sdk/emails.ts'
import { eventTests } from '../e2e/sdk/events.ts'
import { importTests } from '../e2e/sdk/imports.ts'
import { logAndUsageTests } from '../e2e/sdk/logs-and-usage.ts'
import { membershipTests } from '../e2e/sdk/memberships.ts'
import { suppressionTests } from '../e2e/sdk/suppressions.ts'
import { templateTests } from '../e2e/sdk/templates.ts'
import { topicTests } from '../e2e/sdk/topics.ts'
import { webhookTests } from '../e2e/sdk/webhooks.ts'
import { startPostgresServer } from '../harness/postgres-server.ts'
import { atEndOf, POSTWREN, Program, postwren } from '../harness/program.ts'
import { startReceiver } from '../harness/receiver.ts'
import { dataOf } from '../harness/sdk.ts'
import { dataFolder, eventually, Service } from '../harness/service.ts'

/** `postwren proxy` as a user starts it, with a folder of its own. */
class ProxyProgram extends Program {
  readonly dataDir: string

  constructor(dataDir: string, words: readonly string[]) {
    super([...POSTWREN, 'proxy', '--port', '0', ...words], {
      environment: { POSTWREN_DATA_DIR: dataDir },
      lifetime: 'file',
    })
    this.dataDir = dataDir
  }

  static async start(upstream: string, dataDir = dataFolder({ lifetime: 'file' })) {
    const proxy = new ProxyProgram(dataDir, ['--upstream', upstream])
    // Its database ends with it, before the folder is removed.
    atEndOf('file', async () => {
      proxy.signal('SIGTERM')
      await proxy.ended()
    })
    await proxy.until(() => proxy.hasEnded || proxy.stdout.includes('Compared'))
    return proxy
  }

  get url() {
    return /Base URL +(\S+)/.exec(this.stdout)![1]!
  }

  report = async (): Promise<ReportData> =>
    (await fetch(`${this.url}/_proxy/report.json`)).json() as Promise<ReportData>
}

let service: Service
let proxy: ProxyProgram
let resend: Resend
let neighbour: Resend

beforeAll(async () => {
  service = await Service.start({ lifetime: 'file' })
  proxy = await ProxyProgram.start(service.url)
  resend = new Resend(service.token, { baseUrl: proxy.url })
  const environment = { POSTWREN_DATA_DIR: service.dataDir }
  await postwren(['team', 'create', 'Neighbour'], { environment, lifetime: 'file' })
  const key = await postwren(['key', 'create', 'First', '--team', 'Neighbour'], { environment, lifetime: 'file' })
  neighbour = new Resend(key.stdout.trim(), { baseUrl: proxy.url })
})

const context = {
  get resend() {
    return resend
  },
  get neighbour() {
    return neighbour
  },
  get smtpPort() {
    return service.smtpPort
  },
  get service() {
    return service
  },
}

describe('through the proxy', () => {
  describe('API keys', () => apiKeyTests(context))
  describe('emails', () => emailTests(context))
  describe('domains', () => domainTests(context))
  describe('templates', () => templateTests(context))
  describe('broadcasts', () => broadcastTests(context))
  describe('topics', () => topicTests(context))
  describe('contacts', () => contactTests(context))
  describe('segments and topics of contacts', () => membershipTests(context))
  describe('imports', () => importTests(context))
  describe('segments and audiences', () => segmentTests(context))
  describe('contact properties', () => contactPropertyTests(context))
  describe('suppressions', () => suppressionTests(context))
  describe('webhooks', () => webhookTests(context))
  describe('automations', () => automationTests(context))
  describe('events', () => eventTests(context))
  describe('logs and usage', () => logAndUsageTests(context))

  // The last one: it stops the proxy.
  test('and on our side all of it is the same', async () => {
    await eventually(async () => (await proxy.report()).waiting === 0)
    proxy.signal('SIGTERM')
    expect(await proxy.ended()).toBe(0)
    const environment = { POSTWREN_DATA_DIR: proxy.dataDir }
    const report = await postwren(['proxy', 'report', '--json'], { environment })
    const { operations, calls, lost_writes } = JSON.parse(report.stdout) as ReportData

    expect(differencesOf(operations)).toEqual([])
    expect(Object.entries(operations).flatMap(([name, { failed }]) => (failed > 0 ? [name] : []))).toEqual([])
    expect(lost_writes).toBe(0)
    expect(calls).toBeGreaterThan(300)
    expect(Object.keys(operations).length).toBeGreaterThan(80)
    expect(proxy.stdout).toMatch(/^[\d,]+ calls, \d+ operations, no differences\.$/m)
    expect(filesWith(proxy.dataDir, service.token)).toEqual([])
    expect(proxy.stdout + proxy.stderr).not.toContain(service.token)
  })
})

const differencesOf = (operations: ReportData['operations']) =>
  Object.entries(operations).flatMap(([name, { differences }]) => differences.map((one) => [name, one]))

/** The files of a folder that hold a text. */
function filesWith(folder: string, text: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return files.filter((file) => statSync(file).isFile() && readFileSync(file).includes(text))
}

test('webhooks are told by the upstream alone, and the largest emails are compared', async () => {
  const receiver = await startReceiver()
  const own = await ProxyProgram.start(service.url)
  const client = new Resend(service.token, { baseUrl: own.url })
  await dataOf(client.webhooks.create({ endpoint: receiver.url, events: ['email.sent'] }))
  const attachments = [{ filename: 'large.bin', content: Buffer.alloc(28_000_000, 'x') }]
  await dataOf(client.emails.send({ from: 'a@acme.dev', to: 'b@example.com', subject: 'x', text: 'x', attachments }))
  await eventually(() => receiver.received.length > 0)
  // Our side has had the call, the time to tell of it, and a stop in which it would finish what it has begun.
  await expect.poll(async () => (await own.report()).operations['POST /emails']).toMatchObject({ calls: 1, same: 1 })
  own.signal('SIGTERM')
  await own.ended()

  expect(receiver.received).toHaveLength(1)
})

test('two proxies do not share a folder', async () => {
  const own = await ProxyProgram.start(service.url)
  const second = await ProxyProgram.start(service.url, own.dataDir)

  expect(await second.ended()).toBe(1)
  expect(second.complaints).toEqual([expect.stringContaining('A proxy already runs with')])
})

test('our side killed in the middle: the upstream answers, and our side comes back', async () => {
  const own = await ProxyProgram.start(service.url)
  const client = new Resend(service.token, { baseUrl: own.url })
  const send = () => dataOf(client.emails.send({ from: 'a@acme.dev', to: 'b@example.com', subject: 'x', text: 'x' }))
  await send()
  process.kill(childOf(own.pid), 'SIGKILL')
  await own.until(() => own.stderr.includes('our side ended'))
  await send()
  await own.until(() => existsSync(`/proc/${childOf(own.pid)}`))
  await expect
    .poll(async () => {
      await send()
      return (await own.report()).operations['POST /emails']!.same
    })
    .toBeGreaterThan(1)

  expect((await own.report()).lost_writes).toBeGreaterThan(0)
})

/** The process that a process has started. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0] || -1)
}

test.each([
  [['proxy'], 'Usage: postwren proxy --upstream URL'],
  [['proxy', '--upstream', 'api.resend.com'], '--upstream must be a URL like https://api.resend.com'],
  [['proxy', '--upstream', 'http://127.0.0.1:4025'], '--upstream is the address of the proxy itself'],
  [['proxy', '--upstream', 'https://api.resend.com', '--port', 'x'], '--port must be a number'],
  [['proxy', 'report'], 'There is no report yet'],
])('a mistake is one line: %s', async (words, line) => {
  const { code, complaints } = await postwren(words, { environment: { POSTWREN_DATA_DIR: dataFolder() } })

  expect(code).toBe(1)
  expect(complaints).toEqual([expect.stringContaining(line)])
})

test('the database of an installation that sends is not taken', async () => {
  const { url } = await startPostgresServer()
  const environment = { POSTWREN_DATA_DIR: dataFolder(), POSTWREN_DATABASE_URL: url }
  expect((await postwren(['migrate'], { environment })).code).toBe(0)
  const { code, complaints } = await postwren(['proxy', '--upstream', service.url, '--port', '0'], { environment })

  expect(code).toBe(1)
  expect(complaints).toEqual([expect.stringContaining('belongs to an installation of Postwren')])
})
