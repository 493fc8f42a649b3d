import { describe, expect, test } from 'vitest'
import { readRouteFile, type SecretSources } from './read-routes.ts'
import { type RoutedMail, routesFor } from './routes.ts'

const SECRETS: SecretSources = {
  variable: (name) => ({ RELAY_PASSWORD: 'p@ss w:rd', SES_SECRET: 'ses-secret' })[name],
  file(path) {
    if (path !== '/run/secrets/key') throw new Error('must be the path of a file that can be read (ENOENT)')
    return 're_secret\n'
  },
}

const read = (file: object | string) =>
  readRouteFile('routes.json', typeof file === 'string' ? file : JSON.stringify(file), SECRETS)

const variable = (name: string) => `$\{${name}}`

const FILE = {
  routes: [
    { name: 'direct', kind: 'direct' },
    {
      name: 'backup',
      kind: 'relay',
      url: `smtp://postwren:${variable('RELAY_PASSWORD')}@relay.example.net:587`,
      connections: 3,
    },
    { name: 'ses', kind: 'ses', region: 'eu-west-1', access_key_id: 'AKIA', secret_access_key: variable('SES_SECRET') },
    { name: 'api', kind: 'resend', url: 'https://api.example.com/', key_file: '/run/secrets/key' },
  ],
  rules: [
    { stream: 'broadcast', use: ['ses'] },
    { provider: 'outlook', use: [{ route: 'direct', weight: 3 }, { route: 'backup', weight: 1 }, 'ses'] },
    { domain: '@Example.COM', tag: 'kind=reset', use: ['api'] },
  ],
}

const mail = (more: Partial<RoutedMail> = {}): RoutedMail => ({
  team: '0190f3c0-0000-7000-8000-000000000000',
  fromDomain: 'acme.dev',
  domain: 'example.com',
  tags: [],
  stream: 'single',
  provider: () => null,
  ...more,
})

describe('a file of routes', () => {
  test('is read with its secrets, from the environment and from files', () => {
    expect(read(FILE).routes).toEqual([
      { kind: 'direct', name: 'direct' },
      { kind: 'relay', name: 'backup', url: 'smtp://postwren:p%40ss%20w%3Ard@relay.example.net:587', connections: 3 },
      {
        ...{ kind: 'ses', name: 'ses', region: 'eu-west-1', accessKeyId: 'AKIA', secretAccessKey: 'ses-secret' },
        ...{ sessionToken: null, configurationSet: null, endpoint: null, connections: null },
      },
      { kind: 'resend', name: 'api', url: 'https://api.example.com', key: 're_secret', connections: null },
    ])
  })

  test.each([
    [
      '{\n "routes": [\n  { "name": "a", "kind": "direkt" }]}',
      'routes.json:3: `kind` must be one of direct, relay, ses',
    ],
    ['{ "routes": [{ "name": "A", "kind": "direct" }]}', 'routes.json:1: `name` must be'],
    ['{ "routes": [{ "name": "none", "kind": "direct" }]}', 'routes.json:1: `name` must not be `none`'],
    ['{ "routes": [] }', '`routes` names no route'],
    [
      '{ "routes": [\n{ "name": "a", "kind": "direct" },\n{ "name": "a", "kind": "direct" }]}',
      ':3: `name` a is there twice',
    ],
    ['{ "routes": [{ "name": "a",\n "kind": "relay", "ulr": "smtp://x" }]}', '`url` is missing'],
    [
      '{ "routes": [{ "name": "a", "kind": "direct",\n "ulr": "smtp://x" }]}',
      ':2: `ulr` is not known; known are name, kind',
    ],
    [
      '{ "routes": [{ "name": "a", "kind": "relay", "url": "http://x" }]}',
      '`url` must be a URL that begins with `smtp://`',
    ],
    [
      `{ "routes": [{ "name": "a", "kind": "relay",\n "url": "smtp://u:${variable('NOPE')}@x" }]}`,
      ':2: `url` names NOPE, which is not set',
    ],
    [
      '{ "routes": [{ "name": "a", "kind": "resend", "url": "https://x",\n "key_file": "nope" }]}',
      ':2: `key_file` must be the path',
    ],
    ['{ "routes": [{ "name": "a", "kind": "resend", "url": "https://x" }]}', '`key` is missing: `key` or `key_file`'],
    [
      '{ "routes": [{ "name": "a", "kind": "direct" }], "rules": [\n{ "use": ["b"] }]}',
      ':2: `use` names a route that is not there',
    ],
    [
      '{ "routes": [{ "name": "a", "kind": "direct" }], "rules": [{ "use": ["a"],\n "provider": "hotmail" }]}',
      ':2: `provider` must be one of',
    ],
    ['{ "routes": [{ "name": "a", "kind": "direct" }], "rules": [{ "use": ["a", "a"] }]}', '`use` has a twice'],
    ['[]', 'routes.json:1: it must be an object'],
    ['{ "routes": ', 'it ends too early'],
  ])('with a mistake says where it is: %#', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  test('says nothing of its secrets when it has a mistake', () => {
    const wrong = { routes: [{ name: 'a', kind: 'relay', url: 'http://user:geheim@host' }] }
    expect(() => read(wrong)).toThrow(/^(?!.*geheim)/)
  })
})

describe('rules', () => {
  const table = read(FILE)

  test('the first that fits decides; what none fits takes the routes in their order', async () => {
    expect(routesFor(table, mail({ stream: 'broadcast' }), 0)).toEqual(['ses'])
    expect(routesFor(table, mail({ tags: [{ name: 'kind', value: 'reset' }] }), 0)).toEqual(['api'])
    expect(routesFor(table, mail({ tags: [{ name: 'kind', value: 'other' }] }), 0)).toEqual([
      ...['direct', 'backup', 'ses', 'api'],
    ])
    const asked = routesFor(table, mail({ provider: async () => 'gmail', tags: [{ name: 'kind', value: 'reset' }] }), 0)
    expect(await asked).toEqual(['api'])
  })

  test('weights say which comes first; the others follow in order', async () => {
    const ways = (draw: number) => routesFor(table, mail({ provider: async () => 'outlook' }), draw)
    expect(await ways(0)).toEqual(['direct', 'backup', 'ses'])
    expect(await ways(0.74)).toEqual(['direct', 'backup', 'ses'])
    expect(await ways(0.75)).toEqual(['backup', 'direct', 'ses'])
    expect(await ways(0.999)).toEqual(['backup', 'direct', 'ses'])
  })

  test('no rule asks for a provider that none names', () => {
    const named = read({ ...FILE, rules: FILE.rules.filter(({ provider }) => provider === undefined) })
    const provider = () => {
      throw new Error('asked')
    }
    expect(routesFor(named, mail({ provider }), 0)).toEqual(['direct', 'backup', 'ses', 'api'])
  })
})
