import { feature } from '../../feature.ts'
import { ACTIVITY_EVENTS } from '../../policies/activity.ts'
import { agentEndpoints } from './endpoints.ts'
import { enqueueAgents } from './enqueue.ts'
import { askAgent } from './jobs.ts'
import { deleteRunsOf } from './queries.ts'

/** A plug-in: inboxes know nothing of it. */
export const inboxAgentFeature = feature({
  endpoints: [...agentEndpoints],
  jobs: [askAgent],
  times: [
    { table: 'inbox_agent_runs', team: ['created_at'] },
    { table: 'inbox_agents', team: ['updated_at'] },
  ],
  liveUpdates: [
    { events: /^inbox\.(?:thread|email|agent)\./, endpoints: ['inboxes.agent'] },
    { events: ACTIVITY_EVENTS, endpoints: ['inboxes.agent.activity'] },
  ],
  inboxHooks: [{ onFiled: enqueueAgents, deleteRemains: deleteRunsOf }],
})
