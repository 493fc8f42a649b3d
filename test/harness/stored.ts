import pg from 'pg'
import { findCluster } from '../../src/adapters/postgres/find-cluster.ts'
import { Changes } from './changes.ts'
import { atEndOf, type Lifetime } from './program.ts'

/** What workers write. Not what every request does: a condition that asks the service would be its own signal. */
const TABLES = [
  ...['emails', 'deliveries', 'outbox', 'jobs', 'suppressions', 'domains', 'contacts', 'contact_imports', 'broadcasts'],
  ...[
    'received_emails',
    'inbox_threads',
    'inbox_messages',
    'webhook_deliveries',
    'webhook_attempts',
    'automation_runs',
  ],
]

/**
 * Notified whenever a service, which is another process, has written what its workers write: triggers in its database say so, and it knows
 * nothing of it. For databases of tests alone: a NOTIFY inside transactions serialises commits.
 */
export async function watchStored(dataDir: string, lifetime: Lifetime): Promise<Changes> {
  const changes = new Changes()
  const cluster = await findCluster(dataDir)
  if (cluster.kind !== 'running') throw new Error(`No database runs in ${dataDir}`)
  const client = new pg.Client(cluster.connection)
  // The service may end, and its database with it: who waits then looks by itself.
  client.on('error', () => {})
  client.on('notification', changes.notify)
  await client.connect()
  atEndOf(lifetime, () => client.end())
  await client.query(`
    create or replace function tell_tests() returns trigger language plpgsql as
    $$ begin perform pg_notify('tests', ''); return null; end $$`)
  // One by one: a transaction that locks many tables meets workers in another order.
  for (const table of TABLES)
    await client.query(`
      create or replace trigger tell_tests after insert or update or delete on ${table}
      for each statement execute function tell_tests()`)
  await client.query('listen tests')
  return changes
}
