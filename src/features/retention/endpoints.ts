import { endpoint } from '../definitions.ts'
import { changeRetention, describeRetention } from './actions.ts'
import { ChangeRetention, TeamRetention } from './schema.ts'

export const retentionEndpoints = [
  endpoint({
    id: 'team.retention.get',
    route: 'GET /team/retention',
    summary: 'Retrieve how long the team keeps its data',
    reply: TeamRetention,
    run: ({ services: { db, config }, actor }) => describeRetention(db, config, actor.team),
  }),
  endpoint({
    id: 'team.retention.update',
    access: 'owner',
    route: 'PATCH /team/retention',
    summary: 'Change how long the team keeps its data',
    description:
      'What is older is deleted within the hour and cannot be restored. Omitted periods stay; null removes the choice of the team.',
    body: ChangeRetention,
    reply: TeamRetention,
    async run({ body, services, actor }) {
      await changeRetention(services, actor, body)
      return describeRetention(services.db, services.config, actor.team)
    },
  }),
]
