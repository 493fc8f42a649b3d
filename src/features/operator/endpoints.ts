import { found } from '../../kernel/http/problem.ts'
import { IdParams, present, reference } from '../../kernel/http/shapes.ts'
import { endpoint, list, referenceAfter } from '../definitions.ts'
import { changeLimits, suspendTeam, unsuspendTeam } from './actions.ts'
import { findOperatedTeam, operatedTeamRows } from './queries.ts'
import {
  ChangeLimits,
  OperatedTeam,
  OperatedTeamItem,
  OperatedTeamReference,
  SuspendTeam,
  TeamFilter,
} from './schema.ts'

export const operatorEndpoints = [
  list({
    id: 'operator.teams.list',
    access: 'operator',
    route: 'GET /operator/teams',
    summary: 'List all teams',
    query: TeamFilter,
    item: OperatedTeamItem,
    unlimited: 20,
    rows: ({ query, services }) => operatedTeamRows(services.clock.now(), query),
  }),
  endpoint({
    id: 'operator.teams.get',
    access: 'operator',
    route: 'GET /operator/teams/:id',
    summary: 'Retrieve any team',
    params: IdParams,
    reply: OperatedTeam,
    run: async ({ params, services }) =>
      present('operated_team', found(await findOperatedTeam(services.db, params.id), 'Team')),
  }),
  endpoint({
    id: 'operator.teams.limits',
    access: 'operator',
    route: 'PATCH /operator/teams/:id/limits',
    summary: 'Change the limits of a team',
    description: 'Limits that are not named stay; null lifts one.',
    params: IdParams,
    body: ChangeLimits,
    reply: OperatedTeamReference,
    async run({ params, body, services }) {
      await changeLimits(services, params.id, body)
      return reference('operated_team', params.id)
    },
  }),
  endpoint({
    id: 'operator.teams.suspend',
    access: 'operator',
    route: 'POST /operator/teams/:id/suspend',
    summary: 'Suspend a team',
    description: 'Its keys are refused, its people can only look, and its mail waits. Mail for it is still taken in.',
    params: IdParams,
    body: SuspendTeam,
    reply: OperatedTeamReference,
    run: referenceAfter('operated_team', suspendTeam),
  }),
  endpoint({
    id: 'operator.teams.unsuspend',
    access: 'operator',
    route: 'POST /operator/teams/:id/unsuspend',
    summary: 'Lift the suspension of a team',
    description: 'What has waited meanwhile leaves.',
    params: IdParams,
    reply: OperatedTeamReference,
    run: referenceAfter('operated_team', unsuspendTeam),
  }),
]
