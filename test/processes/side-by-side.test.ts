import { beforeAll, describe, expect, test, vi } from 'vitest'
import { sql } from '../../src/kernel/db/sql.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { buildOf, commitBefore, type OlderBuild } from '../harness/older-build.ts'
import { linesOf, postwren } from '../harness/program.ts'
import { startReceiver } from '../harness/receiver.ts'
import { relaying } from '../harness/relaying.ts'
import { dataFolder, eventually, Service } from '../harness/service.ts'
import { databaseOf } from '../harness/service-database.ts'
import { UpgradeLoad } from '../harness/upgrade-load.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

// A rolling upgrade: the program as it was before its tables had partitions, and this one, on one database, while mail flows.

const OLDER = commitBefore('migrations/0100_partitions.sql')
if (!OLDER)
  process.stdout.write(
    'Old and new processes are not tested side by side: the history of this checkout is not there.\n',
  )

async function startWorld(older: OlderBuild) {
  const [dns, relay, receiver] = [await startDnsServer(), await startMailServer(), await startReceiver()]
  const dataDir = dataFolder({ isMigrated: false })
  const settings = {
    ...relaying(relay, dns),
    POSTWREN_API_KEY: 're_key_of_the_upgrade_test',
    POSTWREN_RATE_LIMIT: '0',
    POSTWREN_HOSTNAME: 'mx.postwren.test',
    POSTWREN_PRIVATE_ADDRESSES: 'allow',
  }
  const startOld = () => Service.start({ dataDir, settings, command: [...older.command, 'serve'] })
  const startNew = () => Service.start({ dataDir, settings })
  const old = [await startOld(), await startOld()]
  await verifiedDomain(old[0]!, dns, 'acme.dev', { capabilities: { sending: 'enabled', receiving: 'enabled' } })
  const events = ['email.delivered', 'email.received']
  await old[0]!.call('POST', '/webhooks', { endpoint: receiver.url, events })
  const load = new UpgradeLoad(old)
  await load.start()

  const arrivals = () =>
    relay.messages.flatMap(({ to, bytes }) => {
      const subject = /^Subject: (.*)\r$/m.exec(bytes.toString('latin1'))![1]
      return to.map((address) => `${address} ${subject}`)
    })
  /** Of events of one type: what it is about. */
  const notified = (type: string, field: string) =>
    new Set(receiver.received.filter(({ event }) => event.type === type).map(({ event }) => event.data[field]))

  /** Nothing is lost, nothing doubled, whoever did it. */
  const requireAll = async () => {
    await load.stop()
    await requireWithin(load.expected, () => new Set(arrivals()))
    await requireWithin(load.ids, () => notified('email.delivered', 'email_id'))
    await requireWithin(load.received, () => notified('email.received', 'subject'))
    expect(arrivals().sort()).toEqual([...load.expected].sort())
    expect(load.failures).toEqual([])
    for (const kind of [load.ids, load.canceled, load.received]) expect(kind.size).toBeGreaterThan(5)
  }
  return { dataDir, old, startNew, load, requireAll }
}

/** All of them, soon. */
async function requireWithin(wanted: ReadonlySet<string>, there: () => ReadonlySet<string>) {
  const missing = () => {
    const found = there()
    return [...wanted].filter((one) => !found.has(one))
  }
  await eventually(() => missing().length === 0).catch(() => expect(missing()).toEqual([]))
}

const warningsOf = (service: Service) =>
  linesOf(service.stderr)
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level }) => level >= 40)

const stopAll = (services: readonly Service[]) => Promise.all(services.map((service) => service.stop()))

describe.skipIf(!OLDER)('a rolling upgrade under load', () => {
  let older: OlderBuild

  beforeAll(async () => {
    older = buildOf(OLDER!)
    // Builds this one, too, where its sources have changed.
    await postwren(['--help'], { lifetime: 'file' })
  })

  test('old processes, then both, then new ones: nothing is lost or doubled', async () => {
    const { dataDir, old, startNew, load, requireAll } = await startWorld(older)
    await load.answered(60)
    load.longest.ms = 0

    const fresh = await startNew()
    process.stdout.write(`The longest request while the new process started and migrated: ${load.longest.ms} ms\n`)
    await load.use([...old, fresh])
    await load.answered(90)
    await load.use([fresh])
    expect(await stopAll(old)).toEqual([0, 0])
    await load.answered(30)
    await requireAll()

    expect([...old, fresh].flatMap(warningsOf)).toEqual([])
    const db = await databaseOf({ dataDir })
    expect(await db.query(sql`select 1 from pg_class where relname = 'emails_before'`)).toHaveLength(1)
  })

  test('old processes, then both, then old ones again: they go on with the new tables', async () => {
    const { old, startNew, load, requireAll } = await startWorld(older)
    await load.answered(30)

    const fresh = await startNew()
    await load.use([...old, fresh])
    await load.answered(60)
    await load.use(old)
    expect(await fresh.stop()).toBe(0)
    await load.answered(60)
    await requireAll()

    expect([...old, fresh].flatMap(warningsOf)).toEqual([])
  })
})
