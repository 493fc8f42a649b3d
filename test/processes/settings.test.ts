import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { freePort } from '../harness/postgres-server.ts'
import { linesOf, POSTWREN, postwren } from '../harness/program.ts'
import { dataFolder, Service, temporaryFolder } from '../harness/service.ts'

/** In the place of systemd's tool: writes down what it is to say, a line for each call. */
function fakeNotify() {
  const folder = temporaryFolder()
  const said = join(folder, 'said')
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$*" >> '${said}'\n`)
  chmodSync(join(folder, 'systemd-notify'), 0o755)
  const environment = { NOTIFY_SOCKET: '/run/systemd/notify', PATH: `${folder}:${process.env.PATH}` }
  return { environment, said: () => (existsSync(said) ? linesOf(readFileSync(said, 'utf8')) : []) }
}

test('several processes with settings from a file: each command finds the service, systemd hears of it once', async () => {
  const folder = temporaryFolder()
  const port = await freePort()
  const [file, secret] = [join(folder, 'postwren.env'), join(folder, 'secret-key')]
  writeFileSync(secret, `${'ab'.repeat(32)}\n`, { mode: 0o600 })
  const dataDir = dataFolder()
  writeFileSync(
    file,
    [
      ...[`POSTWREN_PORT=${port}`, 'POSTWREN_SMTP_PORT=0', `POSTWREN_DATA_DIR=${dataDir}`, 'POSTWREN_PROCESSES=2'],
      ...[`POSTWREN_SECRET_KEY_FILE=${secret}`, 'POSTWREN_LOG_FORMAT=json'],
    ].join('\n'),
  )
  const notify = fakeNotify()
  // What the harness sets is in the environment, which would win.
  const settings = { POSTWREN_PORT: String(port), ...notify.environment }
  const before = await postwren(['healthcheck', '--config', file])
  const service = await Service.start({ dataDir, settings, command: [...POSTWREN, '--config', file, 'serve'] })
  await service.until(() => notify.said().length > 0)

  const ready = await postwren(['--config', file, 'healthcheck'])
  const shown = await postwren(['config', 'show', `--config=${file}`])
  const upgrade = await postwren(['upgrade', '--check', '--json'], { environment: { POSTWREN_CONFIG: file } })
  await service.stop()
  const after = await postwren(['healthcheck', '--config', file])

  expect([before.code, ready.code, after.code]).toEqual([1, 0, 1])
  expect(before.complaints).toEqual([`Not ready: no answer from http://127.0.0.1:${port}/readyz (ECONNREFUSED).`])
  expect([ready.stdout, ready.complaints]).toEqual(['', []])
  expect(shown.stdout).toMatch(new RegExp(`^POSTWREN_SECRET_KEY +\\*\\*\\* +POSTWREN_SECRET_KEY_FILE ${secret}$`, 'm'))
  expect(existsSync(join(dataDir, 'secret-key'))).toBe(false)
  const { version } = packageJson
  expect(JSON.parse(upgrade.stdout)).toMatchObject({ ok: true, migrations: [], nodes: [{ version, count: 2 }] })
  expect(notify.said()).toEqual([
    'READY=1 STATUS=Ready: api, delivery, jobs, smtp; delivery inbox, 2 processes',
    'STOPPING=1 STATUS=Stopping',
  ])
  const lines = linesOf(service.stderr).flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines)
    expect(line).toMatchObject({ component: expect.any(String), node: expect.anything(), version })
  expect(lines.find(({ component }) => component === 'processes')).toMatchObject({ node: hostname() })
})

test('one process tells systemd, too, and lines for people are lines for people', async () => {
  const notify = fakeNotify()
  const service = await Service.start({ settings: { ...notify.environment, POSTWREN_LOG_FORMAT: 'text' } })
  await service.until(() => notify.said().length > 0)
  await service.stop()

  expect(notify.said()).toEqual([
    'READY=1 STATUS=Ready: api, delivery, jobs, smtp; delivery inbox',
    'STOPPING=1 STATUS=Stopping',
  ])
  expect(service.stderr).toMatch(/^\d\d:\d\d:\d\d service: stopping$/m)
})

test.each([
  [['serve'], { POSTWREN_PROT: '1' }, 'POSTWREN_PROT is not a setting. Did you mean POSTWREN_PORT?'],
  [['team', 'list'], { POSTWREN_PROT: '1' }, 'POSTWREN_PROT is not a setting. Did you mean POSTWREN_PORT?'],
  [['healthcheck'], { POSTWREN_PROT: '1' }, 'POSTWREN_PROT is not a setting. Did you mean POSTWREN_PORT?'],
  [['doctor', '--config', '/nowhere/x'], {}, 'The settings file /nowhere/x cannot be read (ENOENT).'],
  [['doctor', '--config'], {}, '--config needs the path of a file.'],
  [['migrate'], { POSTWREN_CONFIG: '/nowhere/x' }, 'The settings file /nowhere/x cannot be read (ENOENT).'],
  [
    ['serve'],
    { POSTWREN_DELIVERY: 'direct', POSTWREN_SOURCE_ADDRESS: '192.0.2.1' },
    'POSTWREN_SOURCE_ADDRESS: 192.0.2.1 cannot be used (EADDRNOTAVAIL): it must be an address of this machine.',
  ],
  [
    ['migrate'],
    { POSTWREN_START_WAIT: '0s', POSTWREN_DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' },
    'The database cannot be used: connect ECONNREFUSED 127.0.0.1:1. Check that it is running, and POSTWREN_DATABASE_URL.',
  ],
])('`postwren %s` with %j is one clear line', async (words, settings, line) => {
  const environment = { POSTWREN_DATA_DIR: join(temporaryFolder(), 'data'), ...(settings as Record<string, string>) }
  const { code, stdout, complaints } = await postwren(words, { environment })

  expect([code, stdout, complaints]).toEqual([1, '', [line]])
})

test('a database that does not answer is waited for as long as the settings say, and --wait overrides them', async () => {
  const environment = { POSTWREN_START_WAIT: '1d', POSTWREN_DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' }

  expect((await postwren(['migrate', '--wait', '1'], { environment })).code).toBe(1)
})
