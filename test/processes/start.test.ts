import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startEmbeddedPostgres } from '../../src/adapters/postgres/embedded.ts'
import { canReach, findUser } from '../../src/adapters/postgres/users.ts'
import { query } from '../harness/postgres/server.ts'
import { freePort } from '../harness/postgres-server.ts'
import { POSTWREN, postwren } from '../harness/program.ts'
import { call, dataFolder, isDatabaseRunning, Service, temporaryFolder } from '../harness/service.ts'

test('the first start says where everything is and where its key is kept, and the second one does not', async () => {
  const dataDir = join(temporaryFolder(), 'data')

  const first = await Service.start({ dataDir })
  expect(first.stdout).toContain(`  API        ${first.url}\n`)
  expect(first.stdout).toContain(`  Reference  ${first.url}/docs\n  Guide      ${first.url}/docs/guide\n`)
  expect(first.stdout).toContain(`  API key    stored in ${join(dataDir, 'api-key')}\n`)
  expect(await first.stop()).toBe(0)
  const second = await Service.start({ dataDir })

  expect(second.stdout).not.toContain(second.token)
  expect(second.stdout).not.toContain('API key')
  // What is no terminal is a journal, and keeps no secrets.
  expect(first.stdout).not.toContain(second.token)
  expect((await second.call('GET', '/contacts')).status).toBe(200)
})

describe('a service that was just started', () => {
  let service: Service

  beforeAll(async () => {
    const dataDir = dataFolder({ lifetime: 'file' })
    writeFileSync(join(dataDir, 'api-key'), 'of an earlier life', { mode: 0o644 })
    service = await Service.start({ dataDir, lifetime: 'file' })
  })

  test('the line to try that the first start shows works as it is', async () => {
    const line = /curl .*\n.*\n.*'\n/.exec(service.stdout)![0]

    const [, url] = /curl (\S+)/.exec(line)!
    const [, file] = /Bearer \$\(cat (\S+)\)"/.exec(line)!
    const token = readFileSync(file!, 'utf8').trim()
    const [, body] = /-d '(.+)'/.exec(line)!
    const reply = await call({ url: url!, token }, 'POST', '', JSON.parse(body!))

    expect(reply.status).toBeLessThan(300)
    expect(reply.body.id).toEqual(expect.any(String))
  })

  test('health, metrics, the OpenAPI document and the reference answer without a key', async () => {
    const health = await fetch(`${service.url}/health`)
    const metrics = await fetch(`${service.url}/metrics`)
    const document = await fetch(`${service.url}/openapi.json`)

    expect([health.status, await health.text()]).toEqual([200, '{"status":"ok"}'])
    expect(await metrics.text()).toMatch(/^postwren_http_request_duration_seconds_count\{.*\} \d+$/m)
    const { openapi, paths } = (await document.json()) as { openapi: string; paths: object }
    expect(openapi).toMatch(/^3\./)
    expect(Object.keys(paths)).toContain('/contacts/{idOrEmail}')
  })

  test('the reference page loads nothing from other hosts', async () => {
    const { url } = service
    const page = await fetch(`${url}/docs`)
    const html = await page.text()
    const sources = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, source]) => source!)
    const policy = page.headers.get('content-security-policy')!
    const allowed = policy.split(';').flatMap((directive) => directive.trim().split(/\s+/).slice(1))

    expect(page.status).toBe(200)
    expect(html).not.toMatch(/https?:\/\/|(?:src|href)="\/\//)
    expect(sources.length).toBeGreaterThan(0)
    for (const source of sources) expect((await fetch(`${url}${source}`)).status, source).toBe(200)
    expect(policy).toContain("default-src 'none'")
    expect(allowed.filter((source) => !/^('(none|self|unsafe-inline|unsafe-eval)'|data:)$/.test(source))).toEqual([])
  })

  test('the first key is kept for its owner only', async () => {
    const file = join(service.dataDir, 'api-key')

    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toBe(`${service.token}\n`)
    expect((await service.call('GET', '/topics')).status).toBe(200)
  })

  test('what it keeps can be read by nobody else on the machine', async () => {
    const attachments = [{ filename: 'secret.txt', content: Buffer.from('secret').toString('base64') }]
    const email = { from: 'me@acme.example', to: 'you@example.com', subject: 'Hi', html: 'Hi', attachments }
    expect((await service.call('POST', '/emails', email)).status).toBe(200)

    const names = readdirSync(service.dataDir)
    const open = names.filter((name) => (statSync(join(service.dataDir, name)).mode & 0o077) !== 0)

    expect(names).toContain('blobs')
    expect(open).toEqual([])
    // As root the embedded server is another user, who has to get through and can see nothing.
    expect(statSync(service.dataDir).mode & 0o066).toBe(0)
  })
})

test('a port of the metrics that is in use is one line', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as { port: number }

  const service = await Service.launch({ settings: { POSTWREN_METRICS_PORT: String(port) } })

  expect(await service.ended()).toBe(1)
  expect(service.complaints).toEqual([expect.stringMatching(/^Cannot serve the metrics on port \d+ .*METRICS_PORT/)])
  expect(await isDatabaseRunning(service.dataDir)).toBe(false)
})

// What each setting may be is tested beside the settings; this is the way from there to whoever started it.
test('a wrong setting is one line that names it', async () => {
  const environment = { POSTWREN_DATA_DIR: join(temporaryFolder(), 'data'), POSTWREN_PORT: 'abc' }

  const { code, stdout, complaints } = await postwren(['serve'], { environment })

  expect([code, stdout]).toEqual([1, ''])
  expect(complaints).toEqual([expect.stringMatching(/^POSTWREN_PORT must be .*`abc`/)])
})

test('a TLS file that is none is one line, before a database is made', async () => {
  const dataDir = join(temporaryFolder(), 'data')
  const file = join(temporaryFolder(), 'certificate.pem')
  writeFileSync(file, 'no certificate')

  const service = await Service.launch({ dataDir, settings: { POSTWREN_TLS_CERT: file, POSTWREN_TLS_KEY: file } })

  expect(await service.ended()).toBe(1)
  expect(service.complaints).toEqual([expect.stringMatching(/^POSTWREN_TLS_CERT and POSTWREN_TLS_KEY must name/)])
  expect(existsSync(dataDir)).toBe(false)
})

test('whatever fails while the parts are put together, the database that was started is stopped again', async () => {
  const dataDir = dataFolder()
  mkdirSync(join(dataDir, 'smtp-certificate.pem'))

  const service = await Service.launch({ dataDir })

  expect(await service.ended()).toBe(1)
  expect(service.complaints).toEqual([expect.stringMatching(/^The SMTP certificate cannot be kept/)])
  expect(await isDatabaseRunning(dataDir)).toBe(false)
})

test('a database that a newer Postwren has migrated is refused in one line', async () => {
  const dataDir = dataFolder()
  const server = await startEmbeddedPostgres({ dataDir, log: { info() {}, warn() {} } })
  await query(
    server,
    `insert into schema_migrations (name, checksum, applied_at) values ('9999_future.sql', '', now())`,
  )
  await server.stop()

  for (const word of ['serve', 'migrate']) {
    const { code, stdout, complaints } = await postwren([word], { environment: { POSTWREN_DATA_DIR: dataDir } })

    expect([word, code, stdout]).toEqual([word, 1, ''])
    expect(complaints).toEqual([expect.stringMatching(/^The database was migrated by a newer Postwren \(9999_future/)])
    expect(await isDatabaseRunning(dataDir)).toBe(false)
  }
})

test.each([
  ['POSTWREN_PORT', /^Port \d+ .*in use.*POSTWREN_PORT/],
  ['POSTWREN_SMTP_PORT', /^Port \d+ .*in use.*POSTWREN_SMTP_PORT/],
])('a port in use is one line, and the database that was started is stopped again: %s', async (setting, line) => {
  const dataDir = dataFolder()
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as { port: number }

  const service = await Service.launch({ dataDir, settings: { [setting]: String(port) } })

  expect(await service.ended()).toBe(1)
  expect(service.complaints).toEqual([expect.stringMatching(line)])
  expect(service.stdout).toBe('')
  expect(await isDatabaseRunning(dataDir)).toBe(false)
})

test.each(['POSTWREN_HOST', 'POSTWREN_SMTP_HOST'])(
  'an address that this machine does not have is one line: %s',
  async (name) => {
    const service = await Service.launch({ settings: { [name]: '203.0.113.1' } })

    expect(await service.ended()).toBe(1)
    expect(service.complaints).toEqual([expect.stringMatching(new RegExp(`203\\.0\\.113\\.1 .*${name}`))])
    expect(await isDatabaseRunning(service.dataDir)).toBe(false)
  },
)

describe('a service with settings of its own', () => {
  const KEY = 're_given_by_the_operator'
  let service: Service

  // Those of the environment win: the port is free, and the limit is 55.
  beforeAll(async () => {
    const cwd = temporaryFolder({ lifetime: 'file' })
    const lines = [`POSTWREN_API_KEY=${KEY}`, 'POSTWREN_RATE_LIMIT=77', 'POSTWREN_PORT=1']
    writeFileSync(join(cwd, '.env'), lines.join('\n'))
    const settings = { POSTWREN_RATE_LIMIT: '55', POSTWREN_METRICS_PORT: '0' }
    service = await Service.start({ lifetime: 'file', cwd, settings })
  })

  test('reads them from .env, and the environment wins over it', async () => {
    const reply = await service.call('GET', '/contacts', undefined, KEY)

    expect(reply.status).toBe(200)
    expect(reply.headers.get('ratelimit-limit')).toBe('55')
  })

  test('can have a port for the metrics, which tell what runs', async () => {
    const [, url] = /^ {2}Metrics +(http:\S+)$/m.exec(service.stdout)!

    const there = await (await fetch(url!)).text()
    const here = await fetch(`${service.url}/metrics`)

    expect(here.status).toBe(404)
    expect(there).toMatch(/^postwren_build_info\{version="\d+\.\d+\.\d+",node="\d+\.\d+\.\d+"\} 1$/m)
    expect(there).toMatch(/^postwren_deliveries_oldest_due_seconds\{kind="single"\} 0$/m)
    expect(there).toMatch(/^postwren_jobs_oldest_due_seconds\{name="\S+"\} \S+$/m)
    expect(Number(/^postwren_smtp_certificate_expires_in_seconds (\S+)$/m.exec(there)![1])).toBeGreaterThan(86_400)
  })

  // The last one: it stops the service.
  test('makes no key beside the one that is given, at the first start and at the second one, where others may come by', async () => {
    const isTheOnlyKey = async (one: Service, url = one.url) => {
      const { status, body } = await call({ url, token: KEY }, 'GET', '/api-keys')
      expect([status, body.data.length]).toEqual([200, 1])
      expect(one.stdout).not.toContain(KEY)
      expect(() => statSync(join(one.dataDir, 'api-key'))).toThrow('ENOENT')
    }
    await isTheOnlyKey(service)
    expect(await service.stop()).toBe(0)

    // It tells the address that others know, so the port must be known before.
    const port = String(await freePort())
    const settings = { POSTWREN_API_KEY: KEY, POSTWREN_PUBLIC_URL: 'https://mail.example.com', POSTWREN_PORT: port }
    const second = await Service.start({ dataDir: service.dataDir, settings })
    await isTheOnlyKey(second, `http://127.0.0.1:${port}`)

    expect(second.stderr).toContain('metrics: not served; set POSTWREN_METRICS_TOKEN')
  })
})

const nobody = findUser('nobody')
// Needs root, to become somebody else, and a checkout that this somebody can read.
const canBeNobody = process.getuid?.() === 0 && nobody !== undefined && canReach(nobody, POSTWREN[1]!)

test.runIf(canBeNobody)('an ordinary user can start it', async () => {
  const { uid, gid } = nobody!
  const folder = temporaryFolder({ mode: 0o777 })

  const service = await Service.start({ dataDir: join(folder, 'data'), cwd: folder, user: { uid, gid } })

  expect((await service.call('POST', '/contacts', { email: 'ada@example.com' })).status).toBe(201)
  expect(statSync(join(folder, 'data', 'postgres')).uid).toBe(uid)
  expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700)
  expect(await service.stop()).toBe(0)
})
