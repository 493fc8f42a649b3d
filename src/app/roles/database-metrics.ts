import { allowedOf, neededOf, readConnectionUse } from '../../kernel/db/connection-use.ts'
import type { Database } from '../../kernel/db/database.ts'
import { SnapshotWatch } from '../../kernel/db/old-snapshots.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import { Sample } from '../../platform/observability/sample.ts'

/** Of a younger one nobody wants to know whose it is, and each name is a series of its own. */
const NAMED_AFTER_SECONDS = 60

/** What every process sees of the server: connections, and who keeps dead rows alive. */
export function addDatabaseMetrics(metrics: Metrics, db: Database) {
  metrics.addGauge(
    { name: 'postwren_database_connections', help: 'Connections and statements by state.', labelNames: ['state'] },
    async () => Object.entries(db.load).map(([state, value]) => ({ labels: { state }, value })),
  )
  const use = new Sample(() => readConnectionUse(db))
  metrics.addInstallationGauge(
    {
      name: 'postwren_database_connections_needed',
      help: 'Connections that all running processes may open, and those of other programs.',
      labelNames: [],
    },
    async () => oneValue(await use.get(), neededOf),
  )
  metrics.addInstallationGauge(
    {
      name: 'postwren_database_connections_allowed',
      help: 'Connections that PostgreSQL allows, without the reserved ones.',
      labelNames: [],
    },
    async () => oneValue(await use.get(), allowedOf),
  )
  const watch = new SnapshotWatch()
  const oldest = new Sample(() => watch.oldest(db))
  metrics.addInstallationGauge(
    {
      name: 'postwren_oldest_snapshot_age_seconds',
      help: 'For how long the oldest snapshot has kept dead rows alive, and who holds it.',
      labelNames: ['kind', 'name', 'pid'],
    },
    async () => {
      const found = await oldest.get()
      if (found === undefined) return []
      const value = found?.seconds ?? 0
      if (!found || value < NAMED_AFTER_SECONDS) return [{ labels: { kind: '', name: '', pid: '' }, value }]
      return [{ labels: { kind: found.kind, name: found.name, pid: String(found.pid ?? '') }, value }]
    },
  )
}

const oneValue = <Value>(value: Value | undefined, read: (value: Value) => number) =>
  value === undefined ? [] : [{ labels: {}, value: read(value) }]
