import { indexJob } from '../../kernel/search/job.ts'
import { feature } from '../feature.ts'
import { broadcastEndpoints } from './endpoints.ts'
import { cancelBroadcastJob, sendBroadcastJob } from './jobs.ts'
import { broadcastSearch } from './search.ts'

export const broadcastsFeature = feature({
  endpoints: [...broadcastEndpoints],
  jobs: [indexJob(broadcastSearch.source, { everySeconds: 300 }), sendBroadcastJob, cancelBroadcastJob],
  times: [
    { table: 'broadcast_recipients', team: ['unsubscribed_at'] },
    { table: 'broadcasts', team: ['scheduled_at', 'sent_at', 'paused_at', 'created_at', 'updated_at'] },
    { table: 'broadcast_guards', team: ['updated_at'] },
  ],
  liveUpdates: [{ events: /^(?:email\.(?!received$)|broadcast\.)/, endpoints: ['broadcasts'] }],
})
