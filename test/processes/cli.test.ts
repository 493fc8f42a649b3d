import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../harness/postgres-server.ts'
import { linesOf, POSTWREN, Program, postwren } from '../harness/program.ts'
import { dataFolder, isDatabaseRunning, Service, temporaryFolder } from '../harness/service.ts'

// All that words alone can lead to is tested beside `src/app/main.ts`.
test('`postwren --help` says what there is, and ends with 0', async () => {
  const { code, stdout, complaints } = await postwren(['--help'])

  expect([code, complaints]).toEqual([0, []])
  expect(stdout).toContain('  team create NAME ')
})

test.each([['--help'], ['doctor']])('`postwren %s | head` ends quietly', async (word) => {
  // The reader is gone before anything is written.
  const script = '"$@" | true; exit $PIPESTATUS'
  const environment = {
    POSTWREN_DATA_DIR: join(temporaryFolder(), 'data'),
    POSTWREN_PORT: '0',
    POSTWREN_SMTP_PORT: '0',
  }
  const program = new Program(['bash', '-c', script, 'bash', ...POSTWREN, word], { environment })

  expect(await program.ended()).toBe(0)
  expect(program.complaints).toEqual([])
})

test.each([
  { words: ['queue', 'cancel'], told: /^Say which mail: a filter, or --all\. Example: postwren queue cancel --domain/ },
  { words: ['queue', 'list', '--due-before', 'yesterday'], told: /^--due-before must be a time with its zone/ },
  { words: ['serve', '--wat'], told: /^Unknown option '--wat'/ },
])('words that mean nothing exit with 1 and are told the right ones: $words', async ({ words, told }) => {
  const { code, stdout, complaints } = await postwren(words)

  expect(code).toBe(1)
  expect(stdout + complaints.join('\n')).toMatch(told)
  expect(stdout + complaints.join('\n')).not.toMatch(/^ {4}at /m)
})

describe('beside a running service', () => {
  let service: Service
  let environment: Record<string, string>

  beforeAll(async () => {
    service = await Service.start({ lifetime: 'file' })
    environment = { POSTWREN_DATA_DIR: service.dataDir, POSTWREN_PORT: new URL(service.url).port }
  })

  test('a key that is made works at once, and its token is all that is printed', async () => {
    const { code, stdout, complaints } = await postwren(['key', 'create', 'Deploys'], { environment })
    const reply = await service.call('GET', '/api-keys', undefined, stdout.trim())

    expect([code, complaints]).toEqual([0, []])
    expect(stdout).toMatch(/^re_\S+\n$/)
    expect(reply.status).toBe(200)
    expect(reply.body.data[0].name).toBe('Deploys')
  })

  test('a key for sending may do nothing else', async () => {
    const { stdout } = await postwren(['key', 'create', 'Sender', '--sending'], { environment })

    const { status, body } = await service.call('GET', '/contacts', undefined, stdout.trim())

    expect([status, body.name]).toEqual([401, 'restricted_api_key'])
  })

  test('a team that is made has its own keys and sees nothing of others', async () => {
    await service.call('POST', '/contacts', { email: 'ours@example.com' })

    const team = await postwren(['team', 'create', 'Globex'], { environment })
    const key = await postwren(['key', 'create', 'First', '--team', 'Globex'], { environment })
    const contacts = await service.call('GET', '/contacts', undefined, key.stdout.trim())
    const again = await postwren(['team', 'create', 'Globex'], { environment })

    expect(team.code).toBe(0)
    expect(team.stdout).toMatch(/^Team Globex created.* [0-9a-f-]{36}.*\n$/)
    expect(contacts.body).toEqual({ object: 'list', has_more: false, data: [] })
    expect([again.code, again.stdout]).toEqual([1, ''])
    expect(again.complaints).toEqual([expect.stringMatching(/already/)])
  })

  test.each([
    { words: ['key', 'create', 'x', '--team', 'Nowhere'], told: /^Team Nowhere not found\. .*team create Nowhere$/ },
    { words: ['key', 'create', 'x'.repeat(51)], told: /50 characters/ },
  ])('a key that cannot be made is one line', async ({ words, told }) => {
    const { code, stdout, complaints } = await postwren(words, { environment })

    expect([code, stdout]).toEqual([1, ''])
    expect(complaints).toEqual([expect.stringMatching(told)])
  })

  test('doctor finds no fault, and counts what it warns of', async () => {
    const { code, stdout, complaints } = await postwren(['doctor'], {
      environment: { ...environment, POSTWREN_HOLD: 'on' },
    })

    expect([code, complaints]).toEqual([0, []])
    // What there is besides depends on the machine: its name servers, its disk.
    const warnings = linesOf(stdout).filter((line) => line.startsWith('! ')).length
    expect(linesOf(stdout).at(-1)).toBe(warnings === 1 ? '1 warning.' : `${warnings} warnings.`)
    expect(stdout).toMatch(/^! POSTWREN_HOLD is on/m)
    expect(stdout).toMatch(/^✓ Database: PostgreSQL \d+/m)
    expect(stdout).toMatch(/^✓ Schema: up to date\./m)
    expect(stdout).toMatch(/^✓ Secret key: matches this database\./m)
    expect(stdout).toMatch(/^✓ Port \d+ .* in use, and a Postwren is running here\./m)
  })

  test('doctor tells programs the same as one object', async () => {
    const { code, stdout } = await postwren(['doctor', '--json'], { environment })

    const { ok, checks } = JSON.parse(stdout)
    expect([code, ok]).toEqual([0, true])
    expect(checks).toContainEqual({ name: 'schema', status: 'ok', message: 'Schema: up to date.' })
    for (const name of [
      'settings',
      'node',
      'data_folder',
      'disk',
      'database',
      'clock',
      'blob_store',
      'ports',
      'tls',
      'dns',
    ])
      expect(checks.map((check: { name: string }) => check.name)).toContain(name)
  })

  test('commands leave the service and its database running', async () => {
    await postwren(['migrate'], { environment })

    expect((await service.call('GET', '/contacts')).status).toBe(200)
  })
})

test('migrate tells what it ran, and the second time that there is nothing to do', async () => {
  const environment = { POSTWREN_DATA_DIR: dataFolder({ isMigrated: false }) }

  const first = await postwren(['migrate'], { environment })
  const second = await postwren(['migrate'], { environment })

  expect([first.code, second.code]).toEqual([0, 0])
  expect(first.stdout).toMatch(/^ran 0001_\S+\.sql\n[\s\S]+\d+ migrations ran\.\n$/)
  expect(second.stdout).toBe('The database is up to date.\n')
  expect(await isDatabaseRunning(environment.POSTWREN_DATA_DIR)).toBe(false)
})

test('doctor says what to do about a database that does not answer and an address that is not ours', async () => {
  const environment = {
    POSTWREN_DATABASE_URL: `postgres://127.0.0.1:${await freePort()}/x`,
    POSTWREN_DATA_DIR: join(temporaryFolder(), 'data'),
    POSTWREN_HOST: '203.0.113.1',
  }

  const { code, stdout } = await postwren(['doctor'], { environment })

  expect(code).toBe(1)
  expect(stdout).toMatch(/^✗ .*ECONNREFUSED.*POSTWREN_DATABASE_URL/m)
  expect(stdout).toMatch(/^✗ Port \d+ on 203\.0\.113\.1 cannot be used .*POSTWREN_HOST/m)
  expect(linesOf(stdout).at(-1)).toMatch(/^\d+ problems found(?:, \d+ warnings?)?\.$/)
})

test('doctor makes, starts and migrates nothing', async () => {
  const nowhere = join(temporaryFolder(), 'data')
  const stopped = dataFolder({ isMigrated: false })
  const before = readdirSync(stopped)

  const first = await postwren(['doctor'], { environment: { POSTWREN_DATA_DIR: nowhere } })
  const second = await postwren(['doctor'], { environment: { POSTWREN_DATA_DIR: stopped } })

  expect([first.code, second.code]).toEqual([0, 0])
  expect(first.stdout).toMatch(/^✓ Database: embedded PostgreSQL\. `serve` creates and starts it\.$/m)
  expect(second.stdout).toMatch(/^✓ Database: embedded PostgreSQL, not running and not checked\./m)
  expect(existsSync(nowhere)).toBe(false)
  expect(readdirSync(stopped)).toEqual(before)
  expect(await isDatabaseRunning(stopped)).toBe(false)
})

test.each([
  ['migrate', '--wait', '0'],
  ['key', 'create', 'x'],
  ['team', 'create', 'x'],
])('without its database `postwren %s` is one line', async (...words) => {
  const environment = { POSTWREN_DATABASE_URL: `postgres://127.0.0.1:${await freePort()}/x` }

  const { code, stdout, complaints } = await postwren(words, { environment })

  expect([code, stdout]).toEqual([1, ''])
  expect(complaints).toEqual([expect.stringMatching(/^The database cannot be used: .*POSTWREN_DATABASE_URL/)])
})
