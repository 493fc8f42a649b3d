import { resolve } from 'node:path'
import type pg from 'pg'
import { findCluster } from '../../../adapters/postgres/find-cluster.ts'
import { Connector } from '../../../kernel/db/connector.ts'
import { requireSession } from '../../../kernel/db/session-check.ts'
import { findSecretKeys, readMark } from '../../../kernel/secrets.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { databaseTrouble } from '../database.ts'
import { checkCertificates } from './certificates.ts'
import { checkConnections } from './connections.ts'
import { checkDomains } from './domains.ts'
import { type CheckInput, type Finding, fault, fine } from './finding.ts'
import { checkHolds } from './holds.ts'
import { checkHeldPeriods } from './retention.ts'
import { checkDirectRoutes } from './routes.ts'
import { checkRoles } from './running.ts'
import { checkClock, checkMachines, checkSchema, checkServer } from './server.ts'
import { checkSnapshots } from './snapshots.ts'
import { checkSourcesOfNodes } from './sources.ts'
import { checkSystemMail } from './system-mail.ts'

const CONNECT_MS = 5_000

/** A look into a database that this program may use. */
export type DatabaseCheck = (client: pg.Client, config: Config) => Promise<Finding[]>

const CHECKS: readonly DatabaseCheck[] = [
  checkConnections,
  checkSchema,
  checkSecretKeyOf,
  (client) => checkClock(client),
  checkMachines,
  checkSystemMail,
  (client) => checkSnapshots(client),
  (client) => checkHolds(client),
  (client) => checkDomains(client),
  checkRoles,
  checkDirectRoutes,
  checkSourcesOfNodes,
  checkCertificates,
  checkHeldPeriods,
]

/** Everything that is in the database, looked at in one transaction that cannot write. */
export async function checkDatabase({ config }: CheckInput, checks = CHECKS): Promise<Finding[]> {
  try {
    const connection = config.DATABASE_URL ? { connectionString: config.DATABASE_URL } : await embedded(config)
    if ('name' in connection) return [connection, ...checkSecretKey(config, undefined)]
    return await lookInto(connection, config, checks)
  } catch (error) {
    // A cluster whose first start was cut short has no database yet.
    if (!config.DATABASE_URL && (error as { code?: unknown }).code === '3D000')
      return [fine('database', 'Database: embedded PostgreSQL, empty. `serve` creates the tables.')]
    return [fault('database', databaseTrouble(config, error))]
  }
}

/** Where it listens; or, when it does not run, what there is to say about it. It is not started to look inside. */
async function embedded(config: Config): Promise<pg.ClientConfig | Finding> {
  const cluster = await findCluster(resolve(config.DATA_DIR))
  switch (cluster.kind) {
    case 'running':
      return cluster.connection
    case 'stopped':
      return fine('database', 'Database: embedded PostgreSQL, not running and not checked. `serve` starts it.')
    case 'none':
      return fine('database', 'Database: embedded PostgreSQL. `serve` creates and starts it.')
  }
}

async function lookInto(
  connection: pg.ClientConfig,
  config: Config,
  checks: readonly DatabaseCheck[],
): Promise<Finding[]> {
  const connector = new Connector(
    { application_name: 'postwren doctor', query_timeout: CONNECT_MS, ...connection },
    { connectMs: CONNECT_MS },
  )
  const { client } = await connector.connect()
  try {
    if (config.DATABASE_URL) await requireSession(connection)
    await client.query('begin read only')
    const findings = await checkServer(client, config)
    if (findings.some(({ status }) => status === 'fault')) return findings
    for (const check of checks) findings.push(...(await check(client, config)))
    return findings
  } finally {
    // Without waiting: a server that has fallen silent would not answer to this either.
    client.end().catch(() => {})
  }
}

/** Whether it is the one that this database was made with. */
export async function checkSecretKeyOf(client: pg.Client, config: Config): Promise<Finding[]> {
  return checkSecretKey(config, await readMark(client))
}

function checkSecretKey(config: Config, mark: Buffer | undefined): Finding[] {
  try {
    const key = findSecretKeys(config, mark)
    if (mark) return [fine('secret_key', 'Secret key: matches this database.')]
    return [
      fine(
        'secret_key',
        key ? 'Secret key: present.' : 'Secret key: none yet; `serve` creates one in the data folder.',
      ),
    ]
  } catch (error) {
    return [fault('secret_key', (error as Error).message)]
  }
}
