import { found } from '../../kernel/http/problem.ts'
import { findRow } from '../../kernel/http/rows.ts'
import { IdParams, present, reference } from '../../kernel/http/shapes.ts'
import { contactNamed, findContactId } from '../contacts/index.ts'
import { endpoint, list } from '../definitions.ts'
import { cancelRun } from './actions.ts'
import { automationRows } from './queries.ts'
import { findRun, findRunDetails, overviewRows, readStatuses, runRows } from './run-queries.ts'
import { stepsOf } from './run-steps.ts'
import {
  AutomationRun,
  AutomationRunItem,
  CancelledRun,
  RunDetails,
  RunOverview,
  RunOverviewQuery,
  RunParams,
  RunQuery,
} from './schema.ts'

/** Nobody has this id. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

export const automationRunEndpoints = [
  list({
    id: 'automations.runs.list',
    route: 'GET /automations/:id/runs',
    summary: 'List the runs of an automation',
    params: IdParams,
    query: RunQuery,
    item: AutomationRunItem,
    unlimited: 20,
    async rows({ params, query, services: { db }, actor: { team } }) {
      const statuses = readStatuses(query.status)
      found(await findRow(db, automationRows(team), params.id), 'Automation')
      return runRows(team, params.id, statuses)
    },
  }),
  endpoint({
    id: 'automations.runs.get',
    route: 'GET /automations/:id/runs/:runId',
    summary: 'Retrieve a run of an automation',
    description: 'Includes every step as it was when the run started.',
    params: RunParams,
    reply: AutomationRun,
    async run({ params, services: { db }, actor: { team } }) {
      found(await findRow(db, automationRows(team), params.id), 'Automation')
      const run = found(await findRun(db, team, params.id, params.runId), 'Automation run')
      const { trail, stepKey, enteredAt, graph, ...item } = run
      return present('automation_run', { ...item, steps: stepsOf(run) })
    },
  }),
  endpoint({
    id: 'automations.runs.cancel',
    route: 'POST /automations/:id/runs/:runId/cancel',
    summary: 'Cancel a run of an automation',
    params: RunParams,
    reply: CancelledRun,
    async run({ params, services, actor }) {
      await cancelRun(services, actor, params.id, params.runId)
      return { ...reference('automation_run', params.runId), status: 'cancelled' as const }
    },
  }),
  list({
    id: 'automationRuns.list',
    route: 'GET /automation-runs',
    summary: 'List the runs of all automations',
    query: RunOverviewQuery,
    item: RunOverview,
    unlimited: 20,
    async rows({ query, services: { db }, actor: { team } }) {
      const { automation_id: automation, email } = query
      const statuses = readStatuses(query.status)
      if (email === undefined) return overviewRows(db, team, { automation, statuses })
      const contact = (await findContactId(db, team, contactNamed(email))) ?? NOBODY
      return overviewRows(db, team, { automation, statuses, contact })
    },
  }),
  endpoint({
    id: 'automationRuns.get',
    route: 'GET /automation-runs/:id',
    summary: 'Retrieve a run of any automation',
    description: 'Includes the trigger event, and the steps and connections as they were.',
    params: IdParams,
    reply: RunDetails,
    async run({ params, services: { db }, actor: { team } }) {
      const run = found(await findRunDetails(db, team, params.id), 'Automation run')
      const { trail, stepKey, enteredAt, ...overview } = run
      return present('automation_run_details', { ...overview, steps: stepsOf(run) })
    },
  }),
]
