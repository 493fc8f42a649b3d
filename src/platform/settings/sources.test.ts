import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SettingError } from './settings.ts'
import { readSettings, requireConfig } from './sources.ts'

/** A folder with these files, gone with the test. */
function folderOf(files: Record<string, string | Buffer> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-settings-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return (name: string) => join(folder, name)
}

const NO_FILE = { dotEnvFile: '/nowhere/.env' }

const load = (environment: NodeJS.ProcessEnv, files = {}) =>
  requireConfig(readSettings(environment, { ...NO_FILE, ...files }))

test('the environment wins, then the named file, then .env', () => {
  const path = folderOf({
    '.env': 'POSTWREN_PORT=1\nPOSTWREN_SMTP_PORT=1\nPOSTWREN_RATE_LIMIT=1\n',
    'own.env': '# Ours\nexport POSTWREN_PORT=2\nPOSTWREN_SMTP_PORT="2"\n',
  })
  const files = { configFile: path('own.env'), dotEnvFile: path('.env') }

  const { origins, environment } = readSettings({ POSTWREN_PORT: '3' }, files)

  expect(load({ POSTWREN_PORT: '3' }, files)).toMatchObject({ PORT: 3, SMTP_PORT: 2, RATE_LIMIT: 1, HOST: '127.0.0.1' })
  expect(environment.POSTWREN_SMTP_PORT).toBe('2')
  expect(Object.fromEntries(origins)).toEqual({
    PORT: { source: 'environment' },
    SMTP_PORT: { source: 'config_file', path: path('own.env') },
    RATE_LIMIT: { source: 'env_file', path: path('.env') },
  })
})

test('the file is named by POSTWREN_CONFIG, in the environment or in .env, and the flag wins', () => {
  const path = folderOf({ a: 'POSTWREN_PORT=1', b: 'POSTWREN_PORT=2' })
  writeFileSync(path('.env'), `POSTWREN_CONFIG=${path('a')}`)

  expect(load({}, { dotEnvFile: path('.env') }).PORT).toBe(1)
  expect(load({ POSTWREN_CONFIG: path('b') }, { dotEnvFile: path('.env') }).PORT).toBe(2)
  expect(load({ POSTWREN_CONFIG: path('b') }, { configFile: path('a') }).PORT).toBe(1)
})

test('what is set and empty is unset, whatever the files say', () => {
  const path = folderOf({ own: 'POSTWREN_PORT=1' })

  expect(load({ POSTWREN_PORT: '' }, { configFile: path('own') }).PORT).toBe(4025)
})

test('what else is in the files is for libraries, and secrets of files stay out of the environment of the process', () => {
  const path = folderOf({ own: 'PGSSLROOTCERT=/ca.pem\nPATH=/evil\nPOSTWREN_SECRET_KEY=hunter2' })
  const environment: NodeJS.ProcessEnv = { PATH: '/bin' }

  readSettings(environment, { ...NO_FILE, configFile: path('own') })

  expect(environment).toEqual({ PATH: '/bin', PGSSLROOTCERT: '/ca.pem' })
})

test.each([
  ['missing', /^The settings file \S+\/missing cannot be read \(ENOENT\)\.$/],
  ['.', /^The settings file \S+ cannot be read \(EISDIR\)\.$/],
  ['huge', /^The settings file \S+\/huge is larger than 1024 kB\.$/],
  ['broken', /^\S+\/broken: POSTWREN_PORT has no value\. Write POSTWREN_PORT=value\.$/],
  ['bare', /^\S+\/bare: PORT is not a setting\. Did you mean POSTWREN_PORT\?$/],
  ['itself', /^\S+\/itself: POSTWREN_CONFIG cannot be set in the file that it names\.$/],
  ['slip', /^\S+\/slip: POSTWREN_PROT is not a setting\. Did you mean POSTWREN_PORT\?$/],
])('a named file that is %s is one clear line', (name, message) => {
  const path = folderOf({
    huge: Buffer.alloc(1024 * 1024 + 1, '#'),
    broken: 'POSTWREN_HOST=::1\nPOSTWREN_PORT 8080\n',
    bare: 'PORT=8080',
    itself: 'POSTWREN_CONFIG=x',
    slip: 'POSTWREN_PROT=1',
  })

  expect(() => load({}, { configFile: path(name) })).toThrow(SettingError)
  expect(() => load({}, { configFile: path(name) })).toThrow(message)
})

test('a folder called .env is not ours, and a missing one is no mistake', () => {
  const path = folderOf()

  expect(load({}, { dotEnvFile: path('.') }).PORT).toBe(4025)
  expect(load({}, { dotEnvFile: path('missing') }).PORT).toBe(4025)
})

test('a file that never ends is not read to its end', () => {
  expect(() => load({}, { configFile: '/dev/zero' })).toThrow(/is larger than/)
  expect(() => load({ POSTWREN_SECRET_KEY_FILE: '/dev/zero' })).toThrow(/is larger than 64 kB\.$/)
})

test('a secret is read from a file, without the line break at its end, wherever the file is named', () => {
  const key = 'ab'.repeat(32)
  const path = folderOf({ 'secret-key': `${key}\n`, token: 'x'.repeat(20) })
  writeFileSync(path('own'), `POSTWREN_METRICS_TOKEN_FILE=${path('token')}`)

  const settings = readSettings(
    { POSTWREN_SECRET_KEY_FILE: path('secret-key') },
    { ...NO_FILE, configFile: path('own') },
  )

  expect(requireConfig(settings)).toMatchObject({ SECRET_KEY: key, METRICS_TOKEN: 'x'.repeat(20) })
  expect(settings.origins.get('SECRET_KEY')).toEqual({ source: 'secret_file', path: path('secret-key') })
})

test('the environment wins over a file with the same secret, and over the name of one', () => {
  const path = folderOf({ a: 'a'.repeat(64), own: `POSTWREN_SECRET_KEY_FILE=/nowhere` })

  expect(load({ POSTWREN_SECRET_KEY: 'b'.repeat(64) }, { configFile: path('own') }).SECRET_KEY).toBe('b'.repeat(64))
  expect(load({ POSTWREN_SECRET_KEY_FILE: path('a') }, { configFile: path('own') }).SECRET_KEY).toBe('a'.repeat(64))
})

test.each([
  ['empty', /^POSTWREN_SECRET_KEY_FILE: \S+\/empty is empty\.$/],
  ['huge', /^POSTWREN_SECRET_KEY_FILE: \S+\/huge is larger than 64 kB\.$/],
  ['missing', /^POSTWREN_SECRET_KEY_FILE: \S+\/missing cannot be read \(ENOENT\)\.$/],
  ['.', /^POSTWREN_SECRET_KEY_FILE: \S+ cannot be read \(EISDIR\)\.$/],
  ['wrong', /^POSTWREN_SECRET_KEY must be 64 hexadecimal digits\.$/],
])('a file with a secret that is %s is one clear line', (name, message) => {
  const path = folderOf({ empty: ' \n', huge: Buffer.alloc(64 * 1024 + 1, 'a'), wrong: 'hunter2' })

  expect(() => load({ POSTWREN_SECRET_KEY_FILE: path(name) })).toThrow(message)
})

test('a secret and a file with it are not both set', () => {
  const both = { POSTWREN_SECRET_KEY: 'a'.repeat(64), POSTWREN_SECRET_KEY_FILE: '/nowhere' }

  expect(() => load(both)).toThrow(
    new SettingError('POSTWREN_SECRET_KEY and POSTWREN_SECRET_KEY_FILE are both set: leave one of them out.'),
  )
})

test('a secret can come through a pipe', () => {
  const pipe = folderOf()('pipe')
  execFileSync('mkfifo', [pipe])
  execFileSync('bash', ['-c', '(printf %s "$1" > "$2") </dev/null >/dev/null 2>&1 &', 'bash', 'c'.repeat(64), pipe])

  expect(load({ POSTWREN_SECRET_KEY_FILE: pipe }).SECRET_KEY).toBe('c'.repeat(64))
})

test.each([
  ['POSTWREN_PROT', 'POSTWREN_PROT is not a setting. Did you mean POSTWREN_PORT?'],
  ['POSTWREN_SMTP_PROT', 'POSTWREN_SMTP_PROT is not a setting. Did you mean POSTWREN_SMTP_PORT?'],
  ['POSTWREN_DATABASEURL', 'POSTWREN_DATABASEURL is not a setting. Did you mean POSTWREN_DATABASE_URL?'],
  ['POSTWREN_RETRY', 'POSTWREN_RETRY is not a setting. Did you mean POSTWREN_RETRY_SCHEDULE?'],
  ['POSTWREN_SECRET_KEY_FIEL', 'POSTWREN_SECRET_KEY_FIEL is not a setting. Did you mean POSTWREN_SECRET_KEY_FILE?'],
  ['POSTWREN_PORT_FILE', 'POSTWREN_PORT_FILE is not a setting: only secrets are read from files. Set POSTWREN_PORT.'],
  [
    'POSTWREN_FROBNICATION',
    'POSTWREN_FROBNICATION is not a setting. See `postwren config show`, and /docs/guide/configuration of a running service.',
  ],
  [
    `POSTWREN_${'A'.repeat(100_000)}`,
    `POSTWREN_${'A'.repeat(71)}… is not a setting. See \`postwren config show\`, and /docs/guide/configuration of a running service.`,
  ],
])('a name that is no setting is one line, with the one that was meant', (name, message) => {
  expect(() => load({ [name]: 'hunter2' })).toThrow(new SettingError(message))
})

test('what tests and the test kit use is no mistake', () => {
  const environment = { POSTWREN_URL: 'x', POSTWREN_TEST_NIGHT: '1', POSTWREN_PICTURES: 'take', POSTWREN_FAULTS: '3' }

  expect(readSettings(environment, NO_FILE).problems).toEqual([])
})

test('what Kubernetes sets for Services is ignored, and explained where it takes the place of a setting', () => {
  const links = {
    POSTWREN_SERVICE_HOST: '10.0.0.1',
    POSTWREN_SERVICE_PORT: '4025',
    POSTWREN_SERVICE_PORT_HTTP: '4025',
    POSTWREN_PORT_4025_TCP: 'tcp://10.0.0.1:4025',
    POSTWREN_PORT_4025_TCP_PROTO: 'tcp',
    POSTWREN_PORT_4025_TCP_PORT: '4025',
    POSTWREN_PORT_4025_TCP_ADDR: '10.0.0.1',
    POSTWREN_API_PORT: 'tcp://10.0.0.2:4025',
    POSTWREN_API_SERVICE_HOST: '10.0.0.2',
  }

  expect(load({ ...links, POSTWREN_PORT: '4025' }).PORT).toBe(4025)
  expect(() => load({ ...links, POSTWREN_PORT: 'tcp://10.0.0.1:4025' })).toThrow(
    'POSTWREN_PORT is `tcp://10.0.0.1:4025`, which Kubernetes sets for a Service of this name: use `enableServiceLinks: false` in the pod, or set POSTWREN_PORT.',
  )
})
