import type { Database } from '../../../kernel/db/database.ts'
import type { Metrics } from '../../../platform/observability/metrics.ts'
import { countProblems, findInstallationHealth } from './queries.ts'

/** What the daily examinations have found, of the installation. */
export function addHealthMetrics(metrics: Metrics, db: Database) {
  metrics.addInstallationGauge(
    {
      name: 'postwren_domains_with_problems',
      help: 'Domains in which the last examination has found a problem, counted up to 10,000.',
      labelNames: [],
    },
    async () => [{ labels: {}, value: await countProblems(db) }],
  )
  metrics.addInstallationGauge(
    {
      name: 'postwren_installation_problems',
      help: 'Problems that the last examination has found in the addresses, names and certificates of the installation.',
      labelNames: [],
    },
    async () => {
      const { findings = [] } = (await findInstallationHealth(db)) ?? {}
      return [{ labels: {}, value: findings.filter(({ status }) => status === 'problem').length }]
    },
  )
}
