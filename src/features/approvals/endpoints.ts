import { found } from '../../kernel/http/problem.ts'
import { findRow } from '../../kernel/http/rows.ts'
import { IdParams } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { type Decision, decide, decideOne, STATUS_OF, waitsOn } from './actions.ts'
import { approvalRows } from './queries.ts'
import { ApprovalFilter, ApprovalItem, DecideApprovals, DecidedApprovals } from './schema.ts'

const DECIDED_ONCE =
  'An email is decided about once: whoever comes second is told who was first, with the error `already_decided`.'

export const approvalEndpoints = [
  list({
    id: 'approvals.list',
    route: 'GET /approvals',
    summary: 'List emails that wait for approval',
    query: ApprovalFilter,
    item: ApprovalItem,
    unlimited: 20,
    rows: ({ query, actor }) => approvalRows(actor.team, query.status ?? 'waiting'),
  }),
  endpoint({
    id: 'approvals.get',
    route: 'GET /approvals/:id',
    summary: 'Retrieve an approval',
    params: IdParams,
    reply: ApprovalItem,
    run: async ({ params, services: { db }, actor: { team } }) =>
      found(await findRow<ApprovalItem>(db, approvalRows(team), params.id), 'Approval'),
  }),
  endpoint({
    id: 'approvals.approve',
    route: 'POST /approvals/:id/approve',
    summary: 'Approve an email',
    description: `It is sent, or scheduled if it was to leave later. If a limit of its policy leaves no room for it by then, it waits on: \`policy_refused\`. ${DECIDED_ONCE}`,
    params: IdParams,
    reply: ApprovalItem,
    run: ({ params, services, actor }) => decideOne('approve')(services, actor, params.id),
  }),
  endpoint({
    id: 'approvals.refuse',
    route: 'POST /approvals/:id/refuse',
    summary: 'Refuse an email',
    description: `It is canceled. ${DECIDED_ONCE}`,
    params: IdParams,
    reply: ApprovalItem,
    run: ({ params, services, actor }) => decideOne('refuse')(services, actor, params.id),
  }),
  endpoint({
    id: 'approvals.decide',
    route: 'POST /approvals/decide',
    summary: 'Approve or refuse several emails',
    body: DecideApprovals,
    reply: DecidedApprovals,
    async run({ body: { ids, decision }, services, actor }) {
      const decided = await decide(services, actor, { ids, decision })
      return { object: 'approval_decisions' as const, data: outcomesOf(ids, decision, decided) }
    },
  }),
]

/** In the order of the request. */
function outcomesOf(ids: readonly string[], decision: Decision, decided: Awaited<ReturnType<typeof decide>>) {
  const byId = new Map(decided.map((one) => [one.id, one]))
  return [...new Set(ids.map((id) => id.toLowerCase()))].map((id) => {
    const one = byId.get(id)
    if (!one) return { id, outcome: 'not_found' as const, status: null, decided_by: null, message: null }
    const { status, decidedBy: decided_by, refusal } = one
    if (refusal) return { id, outcome: 'policy_refused' as const, status, decided_by, message: waitsOn(refusal) }
    const isDone = one.isNew && status === STATUS_OF[decision]
    const outcome = isDone ? ('decided' as const) : ('already_decided' as const)
    return { id, outcome, status, decided_by, message: null }
  })
}
