import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startEmbeddedPostgres } from '../../src/adapters/postgres/embedded.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { installedServers, startPostgresServer } from '../harness/postgres-server.ts'
import { POSTWREN, Program, postwren } from '../harness/program.ts'
import { relaying } from '../harness/relaying.ts'
import { startSending } from '../harness/sending.ts'
import { dataFolder, eventually, Service, temporaryFolder } from '../harness/service.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

vi.setConfig({ testTimeout: 180_000 })

const PASSPHRASE = { POSTWREN_BACKUP_PASSPHRASE: 'correct horse battery staple' }
const KEY = { POSTWREN_API_KEY: 're_key_of_the_backup_test' }
const FILE = { filename: 'a.txt', content: 'aGVsbG8=' }

/** A data folder that nothing is in yet. */
const newDataFolder = () => join(temporaryFolder(), 'data')

const command = async (words: string[], environment: Record<string, string>) => {
  const { code, stdout, complaints } = await postwren(words, { environment: { ...PASSPHRASE, ...environment } })
  expect([code, complaints], words.join(' ')).toEqual([0, []])
  return stdout
}

async function connect(config: pg.ClientConfig | string): Promise<pg.Client> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const serverIn = async (dataDir: string) => {
  const server = await startEmbeddedPostgres({ dataDir, log: { info() {}, warn() {} } })
  onTestFinished(() => server.stop())
  return server.connection
}

test('a backup under load, restored elsewhere by the book: nothing is lost, and nothing is sent twice', async () => {
  const [dns, relay] = [await startDnsServer(), await startMailServer()]
  const settings = { POSTWREN_RATE_LIMIT: '0', ...relaying(relay, dns), ...KEY }
  const folder = temporaryFolder()
  const source = dataFolder()
  const start = (roles: string) => Service.start({ dataDir: source, settings: { ...settings, POSTWREN_ROLES: roles } })
  const service = await start('api,jobs')
  let worker = await start('delivery')
  const domain = await verifiedDomain(service, dns, 'acme.dev')
  const later: string[] = []
  for (let number = 0; number < 5; number++) {
    const email = {
      from: 'a@acme.dev',
      to: `later${number}@sink.dev`,
      subject: 'Later',
      text: 'x',
      attachments: [FILE],
    }
    later.push((await service.call('POST', '/emails', { ...email, scheduled_at: 'in 1 hour' })).body.id)
  }
  await service.call('POST', '/contacts', { email: 'ada@sink.dev', first_name: 'Ada' })
  const sending = startSending(() => service)
  onTestFinished(() => sending.stop())
  await sending.accept(60)
  // What is accepted from here on waits in the ledger when the backup is made, and leaves afterwards.
  expect(await worker.stop()).toBe(0)
  await sending.accept(20)
  const before = new Set(sending.accepted)
  await command(['backup', '--to', folder], { POSTWREN_DATA_DIR: source })
  worker = await start('delivery')
  await sending.accept(20)
  await sending.stop()
  const arrivals = () => relay.messages.flatMap(({ to }) => to)
  await relay.until(() => relay.messages.length >= sending.accepted.size)
  const paths = [...later.map((id) => `/emails/${id}`), `/domains/${domain.id}`, '/contacts', '/webhooks']
  const answersOf = async (one: Service) => Promise.all(paths.map(async (path) => (await one.call('GET', path)).body))
  const answers = await answersOf(service)
  expect([await worker.stop(), await service.stop()]).toEqual([0, 0])
  const stoppedAt = new Date().toISOString()

  const dataDir = newDataFolder()
  const environment = { POSTWREN_DATA_DIR: dataDir }
  const restored = await command(['restore', '--from', folder], environment)
  const held = await Service.start({ dataDir, settings })
  const sentBefore = relay.messages.length
  expect(Number(/^It would send: mail to (\d+) recipients, /m.exec(restored)![1])).toBeGreaterThanOrEqual(5 + 20)
  expect(held.stdout).toMatch(/^ {2}Mail {7}on hold: .*\(restored from a backup\)$/m)
  expect(held.stdout).toMatch(/^ {2}It would send: mail to \d+ recipients, /m)
  expect((await held.call('GET', '/health')).body).toEqual({ status: 'ok', hold: 'on' })
  expect(await answersOf(held)).toEqual(answers)
  // Held by the mark alone: a restart changes nothing, and nothing has left.
  expect(await held.stop()).toBe(0)
  const again = await Service.start({ dataDir, settings })
  expect((await again.call('GET', '/health')).body.hold).toBe('on')
  await command(['queue', 'cancel', '--due-before', stoppedAt], environment)
  expect(await command(['restore', '--finish'], environment)).toMatch(
    /^The restore of \S+ is finished\. Mail to 5 recipients /,
  )
  expect(await again.stop()).toBe(0)
  expect(relay.messages.length).toBe(sentBefore)

  const released = await Service.start({ dataDir, settings })
  for (const id of later)
    await released.call('PATCH', `/emails/${id}`, { scheduled_at: new Date(Date.now() + 1_000).toISOString() })
  await relay.until(() => relay.messages.length >= sentBefore + later.length)
  await released.stored(async () => {
    const { body } = await released.call('GET', `/emails/${later[0]}`)
    return body.last_event === 'delivered'
  })

  expect((await released.call('GET', '/health')).body).toEqual({ status: 'ok' })
  const arrived = new Set(arrivals())
  expect([...before].filter((address) => !arrived.has(address))).toEqual([])
  expect(arrivals()).toHaveLength(arrived.size)
  expect(arrivals().filter((address) => address.startsWith('later'))).toHaveLength(later.length)
})

async function filledService() {
  const service = await Service.start({ dataDir: dataFolder(), settings: KEY })
  for (const to of ['a@sink.dev', 'b@sink.dev'])
    await service.call('POST', '/emails', { from: 'a@acme.dev', to, subject: 'Hi', text: 'x', attachments: [FILE] })
  return service
}

test('kill -9 in the middle of a backup: the next one clears up, and takes over what was copied', async () => {
  const service = await filledService()
  const folder = temporaryFolder()
  const environment = { POSTWREN_DATA_DIR: service.dataDir, ...PASSPHRASE }
  const client = await connect(await serverIn(service.dataDir))
  // The tables come in the order of their names: the backup stops at this one.
  await client.query('begin; lock table webhooks in access exclusive mode')
  const cut = new Program([...POSTWREN, 'backup', '--to', folder], { environment })
  const backups = () => readdirSync(folder).filter((name) => /^\d{4}-/.test(name))
  await eventually(async () => backups().some((name) => existsSync(join(folder, name, 'tables', 'teams.00001'))))
  await cut.kill()
  await client.query('rollback')
  const [left] = backups()

  const early = await postwren(['restore', '--from', folder], {
    environment: { ...environment, POSTWREN_DATA_DIR: newDataFolder() },
  })
  // The session of the one that was killed ends when its statement does.
  await eventually(async () => (await postwren(['backup', '--to', folder], { environment })).code === 0)

  expect(early.complaints).toEqual([`There is no complete backup in ${folder}.`])
  expect(backups()).toHaveLength(1)
  expect(backups()).not.toEqual([left])
  expect(await command(['verify', '--from', folder], environment)).toContain(' is good: ')
})

test('kill -9 in the middle of a restore: the database is as empty as before, and the same command goes through', async () => {
  const service = await filledService()
  const folder = temporaryFolder()
  await command(['backup', '--to', folder], { POSTWREN_DATA_DIR: service.dataDir })
  const dataDir = newDataFolder()
  const environment = { POSTWREN_DATA_DIR: dataDir, ...PASSPHRASE }
  const connection = await serverIn(dataDir)
  const [client, other] = [await connect(connection), await connect(connection)]
  // Stops the restore at the first index that it builds when the rows are there.
  await client.query(`
    create function stop_restore() returns event_trigger language plpgsql as $$ begin
      if to_regclass('teams') is not null then
        execute 'select pg_advisory_xact_lock(42) where exists (select from teams)';
      end if;
    end $$;
    create event trigger stop_restore on ddl_command_start when tag in ('CREATE INDEX') execute function stop_restore();
    select pg_advisory_lock(42)`)
  const cut = new Program([...POSTWREN, 'restore', '--from', folder], { environment })
  const isStopped = `select from pg_locks where locktype = 'advisory' and objid = 42 and not granted`
  await eventually(async () => (await other.query(isStopped)).rowCount === 1)
  await cut.kill()
  await client.query('select pg_advisory_unlock(42)')
  await client.query('drop event trigger stop_restore; drop function stop_restore()')

  await eventually(async () => (await postwren(['restore', '--from', folder], { environment })).code === 0)

  expect((await client.query('select from emails')).rowCount).toBe(2)
  expect((await client.query('select from restored_backups')).rowCount).toBe(1)
  const twice = await postwren(['restore', '--from', folder], { environment })
  expect(twice.complaints).toEqual([expect.stringMatching(/^The database is not empty: table \w+ has rows\. /)])
})

test.each(installedServers())(
  'from the embedded PostgreSQL to $name, as the owner of a database who may nothing else',
  async (installed) => {
    const service = await filledService()
    const folder = temporaryFolder()
    await command(['backup', '--to', folder], { POSTWREN_DATA_DIR: service.dataDir })
    const server = await startPostgresServer(installed)
    const admin = await connect(server.url)
    await admin.query(`create role plain login password 'secret'`)
    await admin.query('create database restored owner plain')
    const url = server.url.replace('owner:', 'plain:').replace(/mail$/, 'restored')
    const environment = { POSTWREN_DATABASE_URL: url, POSTWREN_DATA_DIR: newDataFolder(), ...PASSPHRASE }

    await command(['restore', '--from', folder], environment)

    const client = await connect(url)
    expect((await client.query('select from emails')).rowCount).toBe(2)
    const refused = await postwren(['verify', '--from', folder], { environment })
    expect(refused.complaints).toEqual([
      expect.stringMatching(/^The role of POSTWREN_DATABASE_URL may not create a database/),
    ])
    await admin.query('alter role plain createdb')
    expect(await command(['verify', '--from', folder], environment)).toContain(' is good: ')
    // And back again, from this server into a new folder.
    const [next, dataDir] = [temporaryFolder(), newDataFolder()]
    await command(['backup', '--to', next], environment)
    expect(await command(['restore', '--from', next], { POSTWREN_DATA_DIR: dataDir })).toContain('Restored ')
  },
)

test('what cannot be written is one line', async () => {
  const service = await filledService()
  const folder = temporaryFolder()
  const environment = { POSTWREN_DATA_DIR: service.dataDir, ...PASSPHRASE }
  // No file larger than 512 bytes, as a disk that fills up.
  const program = new Program(['bash', '-c', 'ulimit -f 1; exec "$0" "$@"', ...POSTWREN, 'backup', '--to', folder], {
    environment,
  })

  expect(await program.ended()).toBe(1)
  expect(program.complaints).toEqual([`${folder} cannot be written (EFBIG).`])
  expect(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.unfinished')),
  ).toEqual([])
})
