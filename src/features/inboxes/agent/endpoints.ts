import { reference } from '../../../kernel/http/shapes.ts'
import { endpoint, list } from '../../definitions.ts'
import { activityOf } from '../../policies/activity.ts'
import { hintIn } from '../../policies/hint.ts'
import { requireInbox } from '../actions.ts'
import { InboxParams } from '../schema.ts'
import { changeAgent, showAgent } from './actions.ts'
import { agentRunRows } from './queries.ts'
import { Agent, AgentReference, AgentRun, AgentRunFilter, UpdateAgent } from './schema.ts'

export const agentEndpoints = [
  endpoint({
    id: 'inboxes.agent.get',
    route: 'GET /inboxes/:inbox/agent',
    summary: 'Retrieve the agent of an inbox',
    params: InboxParams,
    reply: Agent,
    run: async ({ params, services, actor }) => showAgent(services, actor, params.inbox),
  }),
  endpoint({
    id: 'inboxes.agent.update',
    route: 'PATCH /inboxes/:inbox/agent',
    summary: 'Update the agent of an inbox',
    params: InboxParams,
    body: UpdateAgent,
    reply: AgentReference,
    run: async ({ params, body, services, actor }) => ({
      ...reference('inbox_agent', await changeAgent(services, actor, params.inbox, body)),
      ...(await hintIn(services.db, actor.team, body.policy)),
    }),
  }),
  endpoint({
    id: 'inboxes.agent.activity',
    route: 'GET /inboxes/:inbox/agent/activity',
    summary: 'Retrieve what the agent did under its policy',
    params: InboxParams,
    ...activityOf(
      'inbox_agent',
      async (db, team, { inbox }: { inbox: string }) => (await requireInbox(db, team, inbox)).id,
    ),
  }),
  list({
    id: 'inboxes.agent.runs.list',
    route: 'GET /inboxes/:inbox/agent/runs',
    summary: 'List the runs of the agent',
    access: 'content',
    params: InboxParams,
    query: AgentRunFilter,
    item: AgentRun,
    unlimited: 20,
    async rows({ params, query, services, actor }) {
      const { id } = await requireInbox(services.db, actor.team, params.inbox)
      return agentRunRows(actor.team, id, query.thread_id)
    },
  }),
]
