import { feature } from '../feature.ts'
import { personalDataEndpoints } from './endpoints.ts'
import { emptyLogsJob, performJob } from './jobs.ts'
import { lateLogsJob } from './late-logs.ts'
import { SEALED_ADDRESS } from './requests.ts'

export const personalDataFeature = feature({
  endpoints: personalDataEndpoints,
  jobs: [emptyLogsJob, lateLogsJob, performJob],
  sealedColumns: [SEALED_ADDRESS],
  times: [{ table: 'personal_data_requests', real: ['created_at', 'updated_at', 'completed_at'] }],
})
