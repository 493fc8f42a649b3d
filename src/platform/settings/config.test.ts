import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import {
  allowsPrivateAddresses,
  loadConfig,
  offersStartTls,
  ROLES,
  reachableSmtpHost,
  SETTINGS,
  smtpHost,
} from './config.ts'
import { SettingError } from './settings.ts'
import { smtpPorts } from './smtp-ports.ts'
import { SUBJECTS } from './subjects.ts'

test('everything has a default, or is not needed', () => {
  const config = loadConfig({})

  expect(config).toMatchObject({
    PORT: 4025,
    HOST: '127.0.0.1',
    SMTP_PORT: 2525,
    DATA_DIR: './data',
    DATABASE_URL: undefined,
    API_KEY: undefined,
    ROLES,
    DELIVERY: 'inbox',
    RATE_LIMIT: 1000,
    SECRET_KEY: undefined,
    RETENTION_EMAILS: Number.POSITIVE_INFINITY,
    RETENTION_LOGS: 30 * 86_400,
    RETENTION_RUNS: 90 * 86_400,
  })
})

test('each setting is described', () => {
  for (const [name, { description }] of Object.entries(SETTINGS)) expect(description, name).toMatch(/\.$/)
})

test('settings are read with their prefix, and nothing else is', () => {
  const config = loadConfig({ POSTWREN_PORT: '8080', PORT: '9090', POSTWREN_HOST: ' 0.0.0.0 ' })

  expect(config).toMatchObject({ PORT: 8080, HOST: '0.0.0.0' })
})

test('SMTP is listened for where HTTP is, unless it has a place of its own', () => {
  expect(smtpHost(loadConfig({ POSTWREN_HOST: '192.0.2.1' }))).toBe('192.0.2.1')
  expect(smtpHost(loadConfig({ POSTWREN_SMTP_HOST: '0.0.0.0' }))).toBe('0.0.0.0')
})

test.each([
  [{}, true],
  [{ POSTWREN_HOST: '::1' }, true],
  [{ POSTWREN_HOST: '0.0.0.0' }, false],
  [{ POSTWREN_SMTP_HOST: '0.0.0.0' }, false],
  [{ POSTWREN_DELIVERY: 'direct' }, false],
  [{ POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://relay.example' }, false],
  [{ POSTWREN_DATABASE_URL: 'postgres://localhost/postwren' }, false],
  [{ POSTWREN_PUBLIC_URL: 'https://post.example' }, false],
  [{ POSTWREN_PUBLIC_URL: 'https://post.example', POSTWREN_PRIVATE_ADDRESSES: 'allow' }, true],
  [{ POSTWREN_PRIVATE_ADDRESSES: 'refuse' }, false],
])('with %j private addresses are allowed: %j', (environment, isAllowed) => {
  expect(allowsPrivateAddresses(loadConfig(environment))).toBe(isAllowed)
})

test('clients find SMTP under the name of the installation, or where it listens', () => {
  const hostOf = (settings: Record<string, string>) => reachableSmtpHost(loadConfig(settings))

  expect(hostOf({})).toBe('127.0.0.1')
  expect(hostOf({ POSTWREN_HOST: '0.0.0.0' })).toBe('localhost')
  expect(hostOf({ POSTWREN_PUBLIC_URL: 'https://mail.example.com' })).toBe('mail.example.com')
  expect(hostOf({ POSTWREN_HOSTNAME: 'mx.example.com', POSTWREN_SMTP_HOST: '::' })).toBe('mx.example.com')
})

test('what is empty is not set', () => {
  expect(loadConfig({ POSTWREN_PORT: '', POSTWREN_DATABASE_URL: '  ' })).toMatchObject({
    PORT: 4025,
    DATABASE_URL: undefined,
  })
})

test.each([
  ['all', ROLES],
  ['api', ['api']],
  ['api, jobs', ['api', 'jobs']],
])('the roles %j are %j', (text, roles) => {
  expect(loadConfig({ POSTWREN_ROLES: text }).ROLES).toEqual(roles)
})

test.each([
  ['90s', 90],
  ['15m', 900],
  ['12h', 43_200],
  ['30d', 2_592_000],
  ['0d', 0],
])('the duration %s has %i seconds', (text, seconds) => {
  expect(loadConfig({ POSTWREN_RETENTION_LOGS: text }).RETENTION_LOGS).toBe(seconds)
})

test.each([
  [{ POSTWREN_PORT: 'http' }, 'POSTWREN_PORT must be a whole number from 0 to 65535, not `http`.'],
  [{ POSTWREN_PORT: '65536' }, 'POSTWREN_PORT must be a whole number from 0 to 65535, not `65536`.'],
  [{ POSTWREN_PORT: '-1' }, 'POSTWREN_PORT must be a whole number from 0 to 65535, not `-1`.'],
  [{ POSTWREN_PORT: '80.5' }, 'POSTWREN_PORT must be a whole number from 0 to 65535, not `80.5`.'],
  [{ POSTWREN_RATE_LIMIT: 'none' }, 'POSTWREN_RATE_LIMIT must be a whole number from 0 to 1000000, not `none`.'],
  [{ POSTWREN_ROLES: 'api,cook' }, 'POSTWREN_ROLES must be `all` or some of api,delivery,jobs,smtp, not `cook`.'],
  [{ POSTWREN_DELIVERY: 'pigeon' }, 'POSTWREN_DELIVERY must be one of inbox, relay, direct, not `pigeon`.'],
  [{ POSTWREN_TLS_CERT: '/cert.pem' }, 'POSTWREN_TLS_KEY is needed with POSTWREN_TLS_CERT.'],
  [{ POSTWREN_TLS_KEY: '/key.pem' }, 'POSTWREN_TLS_CERT is needed with POSTWREN_TLS_KEY.'],
  [{ POSTWREN_SMTP_MORE_PORTS: '25;587' }, 'POSTWREN_SMTP_MORE_PORTS must be ports like `25,587,465/tls`.'],
  [{ POSTWREN_SMTP_MORE_PORTS: '65536' }, 'POSTWREN_SMTP_MORE_PORTS must be ports like `25,587,465/tls`.'],
  [{ POSTWREN_SMTP_MORE_PORTS: '465/ssl' }, 'POSTWREN_SMTP_MORE_PORTS must be ports like `25,587,465/tls`.'],
  [{ POSTWREN_SMTP_MORE_PORTS: '25,2525' }, 'POSTWREN_SMTP_MORE_PORTS must not name port 2525 a second time.'],
  [{ POSTWREN_SMTP_MORE_PORTS: '25,25/tls' }, 'POSTWREN_SMTP_MORE_PORTS must not name port 25 a second time.'],
  [{ POSTWREN_TRACE_SAMPLING: '2' }, 'POSTWREN_TRACE_SAMPLING must be a number from 0 to 1, not `2`.'],
  [{ POSTWREN_TRACE_SAMPLING: 'all' }, 'POSTWREN_TRACE_SAMPLING must be a number from 0 to 1, not `all`.'],
  [
    { POSTWREN_OTLP_URL: 'http://me:hush@127.0.0.1:4318' },
    'POSTWREN_OTLP_URL must be a plain URL. A key is for POSTWREN_OTLP_HEADERS.',
  ],
  [
    { POSTWREN_OTLP_HEADERS: 'Bearer hush' },
    'POSTWREN_OTLP_HEADERS must be headers like `Authorization=Bearer …`, with commas between.',
  ],
  [{ POSTWREN_API_KEY: 'secret' }, 'POSTWREN_API_KEY must start with `re_`, then letters, digits, `_` or `-`.'],
  [{ POSTWREN_DELIVERY: 'relay' }, 'POSTWREN_RELAY_URL is needed when POSTWREN_DELIVERY is `relay`.'],
  [{ POSTWREN_AGENT_URL: 'http://127.0.0.1/v1' }, 'POSTWREN_AGENT_MODEL is needed with POSTWREN_AGENT_URL.'],
  [{ POSTWREN_AGENT_MODEL: 'm' }, 'POSTWREN_AGENT_URL is needed with POSTWREN_AGENT_MODEL.'],
  [
    { POSTWREN_AGENT_URL: 'http://127.0.0.1/v1?key=1', POSTWREN_AGENT_MODEL: 'm' },
    'POSTWREN_AGENT_URL must be a plain URL. A key is for POSTWREN_AGENT_KEY.',
  ],
  [
    { POSTWREN_RETENTION_LOGS: '30' },
    'POSTWREN_RETENTION_LOGS must be `forever` or a number with a unit, like `12h` or `30d`, not `30`.',
  ],
  [
    { POSTWREN_DATABASE_URL: 'mysql://localhost/postwren' },
    'POSTWREN_DATABASE_URL must be a URL that starts with `postgres://` or `postgresql://`.',
  ],
])('%j is one clear line: %s', (environment, message) => {
  expect(() => loadConfig(environment)).toThrow(new SettingError(message))
})

test.each([
  [{}, [{ port: 2525, tls: 'starttls' }]],
  [{ POSTWREN_SMTP_PORT: '0' }, [{ port: 0, tls: 'starttls' }]],
  [
    { POSTWREN_SMTP_MORE_PORTS: ' 25, 587 ,465/tls ' },
    [
      { port: 2525, tls: 'starttls' },
      { port: 25, tls: 'starttls' },
      { port: 587, tls: 'starttls' },
      { port: 465, tls: 'implicit' },
    ],
  ],
])('with %j mail comes in on %j', (environment, ports) => {
  expect(smtpPorts(loadConfig(environment))).toEqual(ports)
})

test.each<[Record<string, string>, boolean]>([
  [{}, false],
  [{ POSTWREN_SMTP_AUTH: 'key' }, false],
  [{ POSTWREN_HOST: '0.0.0.0' }, false],
  // A key would cross the network in the clear.
  [{ POSTWREN_HOST: '0.0.0.0', POSTWREN_SMTP_AUTH: 'key' }, true],
  [{ POSTWREN_SMTP_STARTTLS: 'on' }, true],
  [{ POSTWREN_TLS_CERT: '/cert.pem', POSTWREN_TLS_KEY: '/key.pem' }, true],
  [{ POSTWREN_DELIVERY: 'direct' }, true],
  [{ POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://relay.example' }, true],
])('with %j STARTTLS is offered: %s', (environment, isOffered) => {
  expect(offersStartTls(loadConfig(environment))).toBe(isOffered)
})

test.each([
  { POSTWREN_API_KEY: 'sk_live_hunter2' },
  { POSTWREN_SECRET_KEY: 'hunter2' },
  { POSTWREN_DATABASE_URL: 'mysql://postwren:hunter2@localhost/postwren' },
  { POSTWREN_RELAY_URL: 'http://postwren:hunter2@localhost' },
  { POSTWREN_AGENT_URL: 'http://postwren:hunter2@localhost', POSTWREN_AGENT_MODEL: 'm' },
  { POSTWREN_AGENT_KEY: 'hunter2 hunter2' },
])('a secret that is wrong is not repeated: %j', (environment) => {
  expect(() => loadConfig(environment)).toThrow(SettingError)
  expect(() => loadConfig(environment)).not.toThrow('hunter2')
})

test.each([
  [{}, true],
  [{ POSTWREN_DELIVERY: 'direct' }, false],
  [{ POSTWREN_HOST: '0.0.0.0' }, false],
  [{ POSTWREN_PUBLIC_URL: 'https://mail.acme.dev' }, false],
])('a short key that somebody chose, with %j: %j', (environment, isAllowed) => {
  const load = (key: string) => () => loadConfig({ ...environment, POSTWREN_API_KEY: key })

  expect(load('re_1234567890123456')).not.toThrow()
  if (isAllowed) expect(load('re_123')).not.toThrow()
  else expect(load('re_123456789012345')).toThrow('POSTWREN_API_KEY must have at least 16 characters after `re_`.')
})

test('proxies are addresses, networks and names of networks, and never everybody', () => {
  const read = (text: string) => loadConfig({ POSTWREN_TRUSTED_PROXIES: text }).TRUSTED_PROXIES

  expect(loadConfig({}).TRUSTED_PROXIES).toEqual(['loopback'])
  expect(read('10.0.0.0/8, ::1,uniquelocal')).toEqual(['10.0.0.0/8', '::1', 'uniquelocal'])
  expect(read('none')).toEqual([])
  for (const wrong of ['0.0.0.0/0', '::/0', '10.0.0.0/33', 'proxy.example.com', '10.0.0', 'true', '*', '10.0.0.1,'])
    expect(() => read(wrong)).toThrow(SettingError)
})

test('the number of processes is a number, or that of the cores', () => {
  const read = (value?: string) => loadConfig({ POSTWREN_PROCESSES: value }).PROCESSES

  expect(read()).toBe(1)
  expect(read('4')).toBe(4)
  expect(read('auto')).toBe(Math.min(availableParallelism(), 64))
  for (const wrong of ['0', '-1', '1.5', '65', 'all'])
    expect(() => read(wrong)).toThrow(
      `POSTWREN_PROCESSES must be \`auto\` or a whole number from 1 to 64, not \`${wrong}\`.`,
    )
})

test('what is a secret by its name is marked as one', () => {
  const named = Object.keys(SETTINGS).filter((name) => /KEY|TOKEN|SECRET|PASS|CREDENTIAL/.test(name))
  const marked = Object.entries(SETTINGS).flatMap(([name, { isSecret }]) => (isSecret ? [name] : []))

  // That one is the path of a file.
  expect(named.filter((name) => !marked.includes(name))).toEqual(['TLS_KEY'])
  expect(marked).toEqual(expect.arrayContaining(['DATABASE_URL', 'RELAY_URL', 'S3_URL', 'OIDC']))
})

test('each setting is under one heading of docs/configuration.md', () => {
  const listed: string[] = Object.values(SUBJECTS).flat()

  expect([...listed].sort()).toEqual(Object.keys(SETTINGS).sort())
})

test('a retry schedule is durations, and what it ends in has a limit', () => {
  const read = (text: string) => loadConfig({ POSTWREN_RETRY_SCHEDULE: text }).RETRY_SCHEDULE

  expect(loadConfig({}).RETRY_SCHEDULE).toEqual([60, 300, 900, 1_800, 3_600, 7_200, 14_400, 21_600])
  expect(read('30s, 5m,1d')).toEqual([30, 300, 86_400])
  expect(() => read('5m,')).toThrow('POSTWREN_RETRY_SCHEDULE must be a number with a unit')
  expect(() => read('0s')).toThrow('POSTWREN_RETRY_SCHEDULE must be from 1s to 7d, not `0s`.')
  expect(() => read('8d')).toThrow('POSTWREN_RETRY_SCHEDULE must be from 1s to 7d, not `8d`.')
  expect(() => read(Array(51).fill('1m').join())).toThrow('POSTWREN_RETRY_SCHEDULE must have at most 50 durations.')
  expect(loadConfig({}).GIVE_UP_AFTER).toBe(72 * 3_600)
  expect(() => loadConfig({ POSTWREN_GIVE_UP_AFTER: '31d' })).toThrow('POSTWREN_GIVE_UP_AFTER must be from 1m to 30d')
})

test.each([
  [undefined, {}],
  ['192.0.2.1', { v4: '192.0.2.1' }],
  ['2001:db8::1', { v6: '2001:db8::1' }],
  [' 192.0.2.1 , 2001:db8::1', { v4: '192.0.2.1', v6: '2001:db8::1' }],
])('mail is sent from %j', (text, addresses) => {
  expect(loadConfig({ POSTWREN_SOURCE_ADDRESS: text }).SOURCE_ADDRESS).toEqual(addresses)
})

test.each(['192.0.2.1,192.0.2.2', 'mail.example.com', '0.0.0.0', '::', '192.0.2.1,', '192.0.2.0/24'])(
  'and not from %s',
  (text) => {
    expect(() => loadConfig({ POSTWREN_SOURCE_ADDRESS: text })).toThrow(/^POSTWREN_SOURCE_ADDRESS must be an IPv4/)
  },
)
