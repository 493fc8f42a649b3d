import { found } from '../../../kernel/http/problem.ts'
import { IdParams } from '../../../kernel/http/shapes.ts'
import { isSandbox } from '../../../platform/ids.ts'
import { endpoint, referenceAfter } from '../../definitions.ts'
import { findDomain } from '../queries.ts'
import { DomainReference } from '../schema.ts'
import { startHealthCheck } from './actions.ts'
import type { FindingStatus } from './finding.ts'
import { findHealth, findInstallationHealth } from './queries.ts'
import { DomainHealth } from './schema.ts'

export const domainHealthEndpoints = [
  endpoint({
    id: 'domains.health',
    route: 'GET /domains/:id/health',
    summary: 'Retrieve the health of a domain',
    description:
      'What the last examination found: SPF and its look-ups, DKIM keys, DMARC, MTA-STS, TLS reports, BIMI, blocklists. Each finding says what to change, and since when it is so. Verified domains are examined once a day.',
    params: IdParams,
    reply: DomainHealth,
    async run({ params: { id }, services: { db }, actor: { team } }) {
      found(await findDomain(db, team, id), 'Domain')
      const health = await findHealth(db, { team, domainId: id })
      const findings = health?.findings ?? []
      const worst = (['problem', 'advice', 'unknown'] as const).find((status) =>
        findings.some((one) => one.status === status),
      )
      const status: FindingStatus = worst ?? (findings.length > 0 ? 'ok' : 'unknown')
      return {
        object: 'domain_health' as const,
        domain_id: id,
        status,
        checked_at: health?.checkedAt ?? null,
        findings: [...findings],
        installation: isSandbox(team) ? [] : [...((await findInstallationHealth(db))?.findings ?? [])],
      }
    },
  }),
  endpoint({
    id: 'domains.check',
    route: 'POST /domains/:id/check',
    summary: 'Check a domain',
    description: 'Looks at everything that `GET /domains/:id/health` shows, in the background.',
    params: IdParams,
    reply: DomainReference,
    run: referenceAfter('domain', startHealthCheck),
  }),
]
