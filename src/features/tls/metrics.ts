import type { Database } from '../../kernel/db/database.ts'
import type { Metrics } from '../../platform/observability/metrics.ts'
import { readCertificateState } from './certificates/queries.ts'
import { countPolicies } from './policies/queries.ts'

/** What is kept about TLS, of the installation. */
export function addTlsMetrics(metrics: Metrics, db: Database) {
  metrics.addInstallationGauge(
    {
      name: 'postwren_mta_sts_policies',
      help: 'MTA-STS policies of recipient domains that are kept, by mode.',
      labelNames: ['mode'],
    },
    async () => (await countPolicies(db)).map(({ mode, count }) => ({ labels: { mode }, value: count })),
  )
  metrics.addInstallationGauge(
    {
      name: 'postwren_certificates',
      help: 'Names with a certificate by ACME, and names whose last order failed.',
      labelNames: ['state'],
    },
    async () => {
      const { valid, failing } = await readCertificateState(db)
      return [
        { labels: { state: 'valid' }, value: valid },
        { labels: { state: 'failing' }, value: failing },
      ]
    },
  )
  metrics.addInstallationGauge(
    {
      name: 'postwren_certificate_expires_in_seconds',
      help: 'Seconds until the first certificate by ACME expires.',
      labelNames: [],
    },
    async () => {
      const { expiresAt } = await readCertificateState(db)
      return expiresAt ? [{ labels: {}, value: (expiresAt.getTime() - db.clock.now().getTime()) / 1_000 }] : []
    },
  )
}
