import { endpoint, list } from '../../definitions.ts'
import { notYet } from '../not-yet.ts'
import { InboxParams } from '../schema.ts'
import { Agent, AgentReference, AgentRun, AgentRunFilter, UpdateAgent } from './schema.ts'

export const agentEndpoints = [
  endpoint({
    id: 'inboxes.agent.get',
    route: 'GET /inboxes/:inbox/agent',
    summary: 'Retrieve the agent of an inbox',
    params: InboxParams,
    reply: Agent,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'inboxes.agent.update',
    route: 'PATCH /inboxes/:inbox/agent',
    summary: 'Update the agent of an inbox',
    params: InboxParams,
    body: UpdateAgent,
    reply: AgentReference,
    run: async () => notYet(),
  }),
  list({
    id: 'inboxes.agent.runs.list',
    route: 'GET /inboxes/:inbox/agent/runs',
    summary: 'List what the agent did',
    access: 'content',
    params: InboxParams,
    query: AgentRunFilter,
    item: AgentRun,
    unlimited: 20,
    rows: () => notYet(),
  }),
]
