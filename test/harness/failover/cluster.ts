import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { canReach, findUser, type User } from '../../../src/adapters/postgres/users.ts'
import { freePort } from '../postgres-server.ts'
import { CHECKOUT, Program } from '../program.ts'
import { eventually, temporaryFolder } from '../service.ts'
import { Member } from './member.ts'
import type { Network } from './network.ts'

const DEBIAN = '/usr/lib/postgresql'
const NAMES = ['db1', 'db2'] as const
const PASSWORD = 'secret'
const WHOLE_MS = 90_000
const LOG_LENGTH = 8_000

const isInstalled = (...command: [string, ...string[]]) => spawnSync(command[0], command.slice(1)).status === 0

/** The newest PostgreSQL of the system, with everything that Patroni calls. */
const binaries = existsSync(DEBIAN)
  ? readdirSync(DEBIAN)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(DEBIAN, version, 'bin'))
      .find((folder) => existsSync(join(folder, 'pg_rewind')))
  : undefined

/** What is not installed, of all that a cluster needs. */
export const MISSING: readonly string[] = [
  ...(isInstalled('patroni', '--version') ? [] : ['patroni']),
  ...(isInstalled('etcd', '--version') ? [] : ['etcd-server']),
  ...(isInstalled('haproxy', '-v') ? [] : ['haproxy']),
  ...(binaries ? [] : ['postgresql']),
]

interface ClusterMember {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly timeline?: number
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** etcd, two PostgreSQL under Patroni, of which one is the synchronous standby, and HAProxy: with the configuration of examples/failover. */
export async function startCluster(networkOf: (names: readonly string[]) => Network | Promise<Network>) {
  const folder = temporaryFolder()
  const network = await networkOf(NAMES)
  const etcd = await startEtcd(folder, network)
  const user = findServerUser(folder)
  const members = NAMES.map((name, index) => {
    const [place, own] = [network.places[index]!, join(folder, name)]
    const configuration = patroniConfiguration({ name, network, folder: own, etcd })
    return new Member({ name, place, folder: own, configuration, user })
  })
  for (const member of members) member.start()
  const [first] = members

  const states = async (): Promise<readonly ClusterMember[]> => {
    for (const { place } of members) {
      const reply = await fetch(`http://${place.host}:${place.rest}/cluster`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => null)
      if (reply?.ok) return ((await reply.json()) as { members: ClusterMember[] }).members
    }
    return []
  }
  const isWhole = async () => {
    for (const member of members) member.requireRunning()
    const all = await states()
    return (
      all.some(({ role, state }) => role === 'leader' && state === 'running') &&
      all.some(({ role, state }) => role === 'sync_standby' && /^(running|streaming)$/.test(state))
    )
  }
  /** Resolves once there are a primary and a synchronous standby. When that takes too long, Patroni has told why. */
  const whole = () =>
    eventually(isWhole, WHOLE_MS).catch((error) => {
      const logs = members.map(({ name, log }) => `${name}:\n${log.slice(-LOG_LENGTH)}`)
      throw new Error(['The cluster is not whole.', ...logs].join('\n'), { cause: error })
    })
  await whole()

  const namedMember = async (role: string) => {
    const found = (await states()).find((one) => one.role === role)
    return members.find(({ name }) => name === found?.name)!
  }
  const urlOf = (hosts: string, { name = 'postwren', owner = 'postwren' } = {}) =>
    `postgres://${owner}:${PASSWORD}@${hosts}/${name}`
  const hostOf = ({ place }: Member) => `${place.host}:${place.postgres}`
  await createDatabase(urlOf(hostOf(await namedMember('leader')), { name: 'postgres', owner: 'postgres' }))
  const proxy = await startHaproxy(folder, members)

  return {
    members,
    /** Of one server. */
    urlOf: (member: Member) => urlOf(hostOf(member)),
    /** Both servers, of which one can be written to. */
    url: `${urlOf(members.map(hostOf).join(','))}?target_session_attrs=read-write&connect_timeout=3`,
    proxyUrl: urlOf(`127.0.0.1:${proxy}`),
    primary: () => namedMember('leader'),
    standby: () => namedMember('sync_standby'),
    whole,
    /** As an operator does it. */
    async switchOver(from: Member, to: Member) {
      const words = [
        '-c',
        first!.configurationFile,
        'switchover',
        '--leader',
        from.name,
        '--candidate',
        to.name,
        '--force',
      ]
      await promisify(execFile)('patronictl', words, { env: { ...process.env, LC_ALL: 'C.UTF-8' } })
    },
  }
}

const example = (name: string) => readFileSync(join(CHECKOUT, 'examples/failover', name), 'utf8')

/** The example with other words for each of these, which it must have. */
function changed(text: string, changes: Record<string, string>): string {
  return Object.entries(changes).reduce((changing, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The example has no ${from}`)
    return changing.replaceAll(from, to)
  }, text)
}

interface ConfigurationParts {
  readonly name: string
  readonly network: Network
  readonly folder: string
  readonly etcd: string
}

function patroniConfiguration({ name, network, folder, etcd }: ConfigurationParts): string {
  const { host, postgres, rest } = network.places[NAMES.indexOf(name as 'db1')]!
  return changed(example('patroni.yml'), {
    'name: db1': `name: ${name}`,
    '10.0.3.11:8008': `${host}:${rest}`,
    '10.0.3.11:5432': `${host}:${postgres}`,
    '10.0.3.10:2379': etcd,
    '10.0.3.0/24': network.range,
    '/var/lib/postgresql/15/postwren': join(folder, 'data'),
    '/var/lib/postgresql/postwren.pgpass': join(folder, 'pgpass'),
    '/usr/lib/postgresql/15/bin': binaries!,
    '/var/run/postgresql': folder,
    'change-me-superuser': PASSWORD,
    'change-me-replicator': PASSWORD,
    'change-me-rewinder': PASSWORD,
    // It would reset the machine of whoever rehearses.
    'mode: automatic': "mode: 'off'",
  })
}

async function startEtcd(folder: string, { host }: Network): Promise<string> {
  const [client, peer] = [await freePort(), await freePort()]
  const file = join(folder, 'etcd.yml')
  const text = changed(example('etcd.yml'), {
    '10.0.3.10:2379': `${host}:${client}`,
    '10.0.3.10:2380': `${host}:${peer}`,
    '/var/lib/etcd/postwren': join(folder, 'etcd'),
  })
  writeFileSync(file, text)
  const program = new Program(['etcd', '--config-file', file], { cwd: folder })
  await eventually(async () => {
    if (program.hasEnded) throw new Error(`etcd has ended:\n${program.stderr}`)
    return fetch(`http://${host}:${client}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  })
  return `${host}:${client}`
}

async function startHaproxy(folder: string, members: readonly Member[]): Promise<number> {
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  const servers = members.flatMap(({ name, place: { host, postgres, rest } }, index) => [
    [`${name} 10.0.3.1${index + 1}:5432 check port 8008`, `${name} ${host}:${postgres} check port ${rest}`],
  ])
  const text = changed(example('haproxy.cfg'), {
    '127.0.0.1:5000': `127.0.0.1:${port}`,
    ...Object.fromEntries(servers),
  })
  writeFileSync(file, text)
  const program = new Program(['haproxy', '-db', '-f', file], { cwd: folder })
  const probe = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`
  await eventually(async () => {
    if (program.hasEnded) throw new Error(`HAProxy has ended:\n${program.stderr}`)
    return canAsk(probe)
  })
  return port
}

async function createDatabase(url: string) {
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`create role postwren login password '${PASSWORD}'`)
  await admin.query('create database postwren owner postwren')
  await admin.end()
}

async function canAsk(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    client.end().catch(() => {})
  }
}

/** Who runs PostgreSQL when we are root. */
function findServerUser(folder: string): User | null {
  if (process.getuid?.() !== 0) return null
  const users = ['postgres', 'nobody'].flatMap((name) => findUser(name) ?? [])
  const user = users.find((one) => canReach(one, folder) && canReach(one, join(binaries!, 'postgres')))
  if (!user) throw new Error(`PostgreSQL refuses to run as root, and neither postgres nor nobody can reach ${folder}.`)
  return user
}
