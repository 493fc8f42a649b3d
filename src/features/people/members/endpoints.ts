import { deletion, IdParams } from '../../../kernel/http/shapes.ts'
import { deletionAfter, endpoint, list, referenceAfter } from '../../definitions.ts'
import { changeMember, leaveTeam, removeMember } from './actions.ts'
import { memberRows } from './queries.ts'
import { DeletedMember, MemberItem, MemberReference, UpdateMember } from './schema.ts'

export const memberEndpoints = [
  list({
    id: 'members.list',
    route: 'GET /members',
    summary: 'List members',
    item: MemberItem,
    unlimited: 'all',
    rows: ({ actor }) => memberRows(actor.team),
  }),
  endpoint({
    id: 'members.update',
    access: 'people',
    route: 'PATCH /members/:id',
    summary: 'Change the role of a member',
    description: 'Only owners make owners, and change what one is. The last owner stays.',
    params: IdParams,
    body: UpdateMember,
    reply: MemberReference,
    run: referenceAfter('member', changeMember),
  }),
  endpoint({
    id: 'members.remove',
    access: 'people',
    route: 'DELETE /members/:id',
    summary: 'Remove a member',
    description: 'Keys that they have made stay. Programs that they have let in lose their access.',
    params: IdParams,
    reply: DeletedMember,
    run: deletionAfter('member', removeMember),
  }),
  endpoint({
    id: 'teams.leave',
    access: 'person',
    route: 'POST /teams/:id/leave',
    summary: 'Leave one of your teams',
    description: 'Anybody can, except the last owner.',
    params: IdParams,
    reply: DeletedMember,
    run: async ({ params, services, actor }) => deletion('member', await leaveTeam(services, actor, params.id)),
  }),
]
