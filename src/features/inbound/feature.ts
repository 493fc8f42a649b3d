import { indexJob } from '../../kernel/search/job.ts'
import { feature } from '../feature.ts'
import { mailingTeams } from '../limits/reads.ts'
import { TEAM_IDS } from '../teams/reads.ts'
import { receivedAttachmentEndpoints } from './attachment-endpoints.ts'
import { receivedEmailEndpoints } from './endpoints.ts'
import { readComplaint } from './intake/complaint-job.ts'
import { readDomainReport } from './intake/domain-report-job.ts'
import { authenticateAgain, readArrived, readReport, sweepReportMails } from './intake/jobs.ts'
import { sweepKnownSenders } from './intake/known-senders.ts'
import { receivedPublicRoutes } from './public-routes.ts'
import { receivedSearch } from './search.ts'

export const inboundFeature = feature({
  endpoints: [...receivedEmailEndpoints, ...receivedAttachmentEndpoints],
  publicRoutes: receivedPublicRoutes,
  jobs: [
    readArrived,
    authenticateAgain,
    readReport,
    readComplaint,
    readDomainReport,
    indexJob(receivedSearch.source, { teams: { all: TEAM_IDS, active: mailingTeams } }),
  ],
  retention: [sweepKnownSenders, sweepReportMails],
  times: [
    { table: 'received_attachments', team: ['created_at'] },
    { table: 'received_emails', team: ['read_at', 'created_at'] },
  ],
  liveUpdates: [{ events: /^email\.received$/, endpoints: ['emails.receiving'] }],
})
