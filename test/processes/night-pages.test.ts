import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DatabaseProxy } from '../harness/database-proxy.ts'
import { type DnsServer, startDnsServer } from '../harness/dns-server.ts'
import { type MailServer, startMailServer } from '../harness/mail-server.ts'
import { blocksOf, PageShell } from '../harness/page-commands.ts'
import { startPostgresServer } from '../harness/postgres-server.ts'
import { relaying } from '../harness/relaying.ts'
import { dataFolder, Service, temporaryFolder } from '../harness/service.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

// Every command of the pages in docs/operations/night is run, as it stands there.

const pageOf = (name: string) => blocksOf(`docs/operations/night/${name}.md`)
const mail = (to: string) => ({ from: 'a@acme.dev', to, subject: 'Hi', text: 'x' })

/** A service with a relay that puts off whoever is at `slow.dev`, as long as the test says so, and a team with a key. */
async function startWorld() {
  const [dns, relay]: [DnsServer, MailServer] = [await startDnsServer(), await startMailServer()]
  const dataDir = dataFolder()
  const world = { isSlow: true }
  relay.react(({ step, line }) =>
    step === 'RCPT' && world.isSlow && /@slow\.dev/.test(line) ? '450 4.7.1 Come again' : undefined,
  )
  // Nothing is tried again by itself while the commands of a page run, however long they take.
  const settings = { ...relaying(relay, dns), POSTWREN_HOSTNAME: 'mx.postwren.test', POSTWREN_RETRY_SCHEDULE: '12h' }
  const service = await Service.start({ dataDir, settings })
  await verifiedDomain(service, dns, 'acme.dev')
  const { body: key } = await service.call('POST', '/api-keys', { name: 'leaked' })
  const environment = {
    ...{ ...settings, POSTWREN_DATA_DIR: dataDir, POSTWREN_PORT: new URL(service.url).port, POSTWREN_SMTP_PORT: '0' },
    ...{ API: service.url, TEAM: 'default', DOMAIN: 'slow.dev', KEY_ID: key.id },
  }
  const shell = new PageShell({ environment })
  const send = async (to: string) => {
    const { status, body } = await service.call('POST', '/emails', mail(to))
    expect(status).toBe(200)
    return body.id as string
  }
  const isIn = (id: string, event: string) => async () =>
    (await service.call('GET', `/emails/${id}`)).body.last_event === event
  const attempts = async (id: string) => (await service.call('GET', `/emails/${id}`)).body.deliveries[0].attempts
  return { service, relay, world, shell, send, isIn, attempts, key: key.token as string }
}

type World = Awaited<ReturnType<typeof startWorld>>

/** Runs the blocks of a page one after the other; each has its words. What takes a moment is looked at until it says so. */
async function follow(
  { shell }: Pick<World, 'shell'>,
  page: string,
  expected: readonly (RegExp | { readonly words: RegExp; before?(): Promise<unknown> })[],
) {
  const blocks = pageOf(page)
  expect(blocks).toHaveLength(expected.length)
  for (const [index, one] of expected.entries()) {
    const { words, before } = one instanceof RegExp ? { words: one } : one
    await before?.()
    const block = blocks[index]!
    const isLook = block.heading !== 'Help'
    const { code, output } = isLook ? await shell.runUntil(block, words) : await shell.run(block)
    expect(output, block.place).toMatch(words)
    expect(code, `${block.place}\n${output}`).toBe(0)
  }
}

test('the pages about mail', async () => {
  const world = await startWorld()
  const { service, send, isIn, attempts, shell } = world
  const hold = (script: string) => () => shell.run({ script })

  // Mail is not leaving.
  const first = await send('ada@slow.dev')
  await service.stored(async () => (await attempts(first)) > 0)
  await follow(world, 'mail-is-not-leaving', [
    /Service: running and ready/,
    /deferred +slow\.dev +1 [\s\S]*450 4\.7\.1 .*Come again/,
    {
      words: /Would retry mail to 1 recipient\.[\s\S]*Retrying mail to 1 recipient\./,
      before: async () => {
        world.world.isSlow = false
      },
    },
    {
      words: /--domain slow\.dev .*Listed\nReleased mail to slow\.dev/,
      before: hold('postwren queue hold --domain "$DOMAIN" --reason Listed'),
    },
    { words: /^Nothing waits\.$/m, before: () => service.stored(isIn(first, 'delivered')) },
  ])

  // We are on a blocklist.
  world.world.isSlow = true
  const second = await send('bob@slow.dev')
  await service.stored(async () => (await attempts(second)) > 0)
  await follow(world, 'blocklisted', [
    /deferred +slow\.dev +1 /,
    /deferred +default +1 /,
    /Holding mail to slow\.dev\./,
    {
      words: /Released mail to slow\.dev .*\nRetrying mail to 1 recipient\./,
      before: async () => {
        world.world.isSlow = false
      },
    },
    /^Nothing waits\.$/m,
  ])

  // A key leaked.
  world.world.isSlow = true
  const third = await send('dan@slow.dev')
  await service.stored(async () => (await attempts(third)) > 0)
  await follow(world, 'key-leaked', [
    /leaked/,
    /Deleted the API key leaked/,
    /^re_[\w-]+/,
    /Holding mail of team default\.[\s\S]*dan@slow\.dev[\s\S]*Would cancel mail to 1 recipient\.[\s\S]*Canceled mail to 1 recipient\./,
    /web[\s\S]*Released mail of team default/,
  ])
  expect((await world.service.call('GET', '/topics', undefined, world.key)).status).toBe(403)

  // The disk is full, and the page that leads to the others.
  await send('eve@slow.dev')
  await follow(world, 'disk-is-full', [
    /Filesystem[\s\S]*postgres/,
    /default[\s\S]*emails-per-day +1000/,
    /"database":"ok".*"blobs":"ok"/,
    /emails-per-day +none/,
  ])
  await follow(world, 'README', [/Holding all mail\./, /Released all mail/])

  // A customer spams.
  await shell.run({ script: 'postwren queue cancel --team "$TEAM"' })
  const last = await send('cleo@slow.dev')
  await service.stored(async () => (await attempts(last)) > 0)
  await follow(world, 'customer-spams', [
    /default[\s\S]*deferred +default +1 [\s\S]*emails-per-day +none/,
    /Holding mail of team default\.[\s\S]*cleo@slow\.dev/,
    /Team default is suspended\./,
    /Would cancel mail to 1 recipient\.[\s\S]*Canceled mail to 1 recipient\./,
    /Team default is no longer suspended\.\n(?:.*\n)*emails-per-day +1000 [\s\S]*Released mail of team default/,
    /Nothing waits\.\nNothing is on hold\./,
  ])
}, 240_000)

test('the pages about the database', async () => {
  const { url } = await startPostgresServer()
  const proxy = await DatabaseProxy.start(url)
  const dataDir = join(temporaryFolder(), 'data')
  const settings = { POSTWREN_DATABASE_URL: proxy.url }
  const service = await Service.start({ dataDir, settings })
  const environment = {
    ...{ ...settings, POSTWREN_DATA_DIR: dataDir, POSTWREN_PORT: new URL(service.url).port, POSTWREN_SMTP_PORT: '0' },
    API: service.url,
  }
  const world = { shell: new PageShell({ environment }) }
  const none = /Snapshots: none is older than an hour/
  await follow(world, 'old-snapshot', [none, none])
  proxy.refuse()
  proxy.drop({ tellClient: true })

  await follow(world, 'database-is-gone', [
    /"database":"away"[\s\S]*The database cannot be used/,
    { words: /"database":"ok"/, before: () => proxy.admit() },
    /Nothing waits\./,
  ])
  await follow(world, 'database-failed-over', [
    /"database":"ok"[\s\S]*Service: running and ready/,
    /"database":"ok"/,
    /Nothing waits\./,
  ])
}, 120_000)

test('every page has its blocks run', () => {
  const pages = [
    'mail-is-not-leaving',
    'blocklisted',
    'customer-spams',
    'key-leaked',
    'disk-is-full',
    'database-is-gone',
    'old-snapshot',
    'database-failed-over',
  ]
  const withoutHelp = ['database-is-gone', 'database-failed-over', 'old-snapshot']
  for (const page of pages) {
    const headings = [...new Set(pageOf(page).map(({ heading }) => heading))]
    expect(headings).toEqual(withoutHelp.includes(page) ? ['Look', 'Over when'] : ['Look', 'Help', 'Over when'])
  }
})
