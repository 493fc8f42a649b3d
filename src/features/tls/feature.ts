import { feature } from '../feature.ts'
import { orderCertificates } from './certificates/jobs.ts'
import { refreshPolicies, sweepPolicies } from './policies/jobs.ts'
import { tlsRoutes } from './public-routes.ts'
import { sendTlsReports } from './reports/jobs.ts'

export const tlsFeature = feature({
  publicRoutes: tlsRoutes,
  jobs: [refreshPolicies, sweepPolicies, orderCertificates, sendTlsReports],
  sealedColumns: [
    { table: 'acme_accounts', column: 'private_key', context: `'acme:' || directory` },
    { table: 'certificates', column: 'private_key', context: `'certificate:' || name` },
  ],
})
