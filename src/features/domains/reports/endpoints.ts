import { IdParams } from '../../../kernel/http/shapes.ts'
import { endpoint } from '../../definitions.ts'
import { describeReports } from './describe.ts'
import { DomainReports, REPORT_DAYS, ReportsQuery } from './schema.ts'

export const domainReportEndpoints = [
  endpoint({
    id: 'domains.reports',
    route: 'GET /domains/:id/reports',
    summary: 'Retrieve DMARC and TLS reports of a domain',
    description:
      'Who sends mail in the name of the domain, what passes and what fails, as receivers report it; how sessions with it were encrypted; and the next step for its DMARC policy. Only reports whose sender is proven count.',
    params: IdParams,
    query: ReportsQuery,
    reply: DomainReports,
    run: ({ params, query, services: { db }, actor: { team } }) =>
      describeReports(db, { team, domainId: params.id }, query.days ?? REPORT_DAYS.default),
  }),
]
