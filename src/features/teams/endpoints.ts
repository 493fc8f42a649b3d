import { requireUser } from '../../kernel/http/actor.ts'
import { found } from '../../kernel/http/problem.ts'
import { reference } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { addTeam, changeTeam, describeTeam, removeTeam, restoreTeam } from './actions.ts'
import { ownTeamRows, readTeam } from './queries.ts'
import { CreateTeam, OwnTeam, Team, TeamReference, TeamToDelete, UpdateTeam } from './schema.ts'

export const teamEndpoints = [
  endpoint({
    id: 'teams.create',
    access: 'person',
    route: 'POST /teams',
    summary: 'Create a team',
    description: 'The creator becomes the owner.',
    status: 201,
    body: CreateTeam,
    reply: TeamReference,
    run: async ({ body, services, actor }) => reference('team', await addTeam(services, actor, body)),
  }),
  list({
    id: 'teams.list',
    access: 'person',
    route: 'GET /teams',
    summary: 'List your teams',
    item: OwnTeam,
    unlimited: 'all',
    rows: ({ actor }) => ownTeamRows(requireUser(actor).identity.id),
  }),
  endpoint({
    id: 'team.get',
    route: 'GET /team',
    summary: 'Retrieve the team',
    reply: Team,
    run: ({ services, actor }) => describeTeam(services, actor),
  }),
  endpoint({
    id: 'team.update',
    access: 'people',
    route: 'PATCH /team',
    summary: 'Update the team',
    body: UpdateTeam,
    reply: TeamReference,
    async run({ body, services, actor }) {
      await changeTeam(services, actor, body)
      return reference('team', actor.team)
    },
  }),
  endpoint({
    id: 'team.remove',
    access: 'owner',
    route: 'DELETE /team',
    summary: 'Delete the team',
    description:
      'Its keys stop working and its mail is held at once. Everything of it is deleted seven days later; until then it can be restored.',
    reply: TeamToDelete,
    async run({ services, actor }) {
      await removeTeam(services, actor)
      const team = found(await readTeam(services.db, actor.team), 'Team')
      return { ...reference('team', team.id), delete_at: team.delete_at! }
    },
  }),
  endpoint({
    id: 'team.restore',
    access: 'owner',
    route: 'POST /team/restore',
    summary: 'Restore the team',
    description: 'Cancels the deletion.',
    reply: TeamReference,
    async run({ services, actor }) {
      await restoreTeam(services, actor)
      return reference('team', actor.team)
    },
  }),
]
