import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { SETTINGS } from '../src/platform/settings/config.ts'
import { type ComposeService, readCompose } from './harness/compose.ts'

// What the compose files promise to whoever starts them unread. test/processes/image.test.ts starts them.

const FILES = ['compose.yaml', 'compose.direct.yaml']
const servicesOf = (name: string) => Object.entries(readCompose(name).services)
const isOurs = ({ image }: ComposeService) => image.startsWith('postwren/')
/** Runs to its end, once for each start. */
const isOneShot = ([name]: [string, ComposeService]) => ['secrets', 'migrate', 'sign-in'].includes(name)

test.each(['Containerfile', 'docs/operations/install-image.md', ...FILES])(
  '%s names the version that this is',
  (name) => {
    const versions = readFileSync(name, 'utf8').matchAll(/postwren\/postwren:(\d[\w.]*)|VERSION: (\d\S*)/g)

    for (const [, tag, argument] of versions) expect(tag ?? argument).toBe(packageJson.version)
  },
)

test.each(FILES)('%s pins what it runs, and gives it no privileges', (name) => {
  for (const [, service] of servicesOf(name)) {
    expect(service.image).toMatch(/:\d+\.\d+/)
    expect(service).not.toHaveProperty('privileged')
    expect(service).not.toHaveProperty('cap_add')
    expect(JSON.stringify(service)).not.toContain('docker.sock')
    if (isOurs(service))
      expect(service).toMatchObject({
        ...{ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
        build: { context: '.', dockerfile: 'Containerfile', target: 'server' },
      })
  }
})

test.each(FILES)('%s is reached from this machine alone, but for mail that is delivered to it', (name) => {
  for (const [service, { ports = [], network_mode, environment, command = [] }] of servicesOf(name)) {
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
    if (network_mode !== 'host') continue
    const listens = environment.POSTWREN_HOST ?? command.find((word) => word.startsWith('listen_addresses='))
    expect(String(listens)).toMatch(/(^|=)127\.0\.0\.1$/)
    expect(environment.POSTWREN_SMTP_HOST).toBe(service.startsWith('smtp-') ? '0.0.0.0' : undefined)
  }
})

test.each(FILES)('%s has nothing start before what it needs is there, and all that stays is watched', (name) => {
  const services = readCompose(name).services
  for (const [service, { depends_on = {}, ...rest }] of servicesOf(name)) {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      const expected = isOneShot([other, services[other]!]) ? 'service_completed_successfully' : 'service_healthy'
      expect(condition).toBe(expected)
    }
    expect(Object.keys(depends_on).length).toBe(service === 'secrets' ? 0 : 1)
    if (isOneShot([service, services[service]!])) expect(rest.restart).toBeUndefined()
    else
      expect(rest).toMatchObject({
        ...{ restart: 'unless-stopped', healthcheck: { test: expect.arrayContaining(['CMD']) } },
        stop_grace_period: expect.stringMatching(/^(15s|1m)$/),
      })
  }
})

test.each(FILES)('%s keeps all data and secrets in volumes with a name, and sets what is a setting', (name) => {
  const { volumes, services } = readCompose(name)
  const mounted = Object.values(services).flatMap((service) => service.volumes ?? [])

  expect([...new Set(mounted.map((mount) => mount.split(':')[0]!))].sort()).toEqual(Object.keys(volumes).sort())
  for (const { environment } of Object.values(services))
    for (const [setting, value] of Object.entries(environment)) {
      if (!setting.startsWith('POSTWREN_')) continue
      expect(Object.keys(SETTINGS)).toContain(setting.replace(/^POSTWREN_/, '').replace(/_FILE$/, ''))
      // A secret comes from a file, or from whoever starts it.
      if (/KEY|TOKEN|PASSWORD|RELAY_URL/.test(setting)) expect(value).toBeNull()
    }
})

test('compose.direct.yaml has two processes of each role, on ports of their own', () => {
  const roles = servicesOf('compose.direct.yaml').flatMap(([, { environment }]) =>
    environment.POSTWREN_ROLES ? [environment] : [],
  )
  const ports = roles.flatMap(({ POSTWREN_PORT, POSTWREN_SMTP_PORT = null }) => [POSTWREN_PORT, POSTWREN_SMTP_PORT])
  const taken = ports.filter((port) => port !== null)

  expect(roles.map(({ POSTWREN_ROLES }) => POSTWREN_ROLES).sort()).toEqual(
    ['api', 'delivery', 'jobs', 'smtp'].flatMap((role) => [role, role]),
  )
  expect(new Set(taken).size).toBe(taken.length)
})
