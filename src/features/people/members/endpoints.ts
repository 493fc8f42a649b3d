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
    description: 'Only owners can add or change owners. The last owner cannot be changed.',
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
    description: 'API keys they created stay. Apps they authorized lose access.',
    params: IdParams,
    reply: DeletedMember,
    run: deletionAfter('member', removeMember),
  }),
  endpoint({
    id: 'teams.leave',
    access: 'person',
    route: 'POST /teams/:id/leave',
    summary: 'Leave one of your teams',
    description: 'The last owner cannot leave.',
    params: IdParams,
    reply: DeletedMember,
    run: async ({ params, services, actor }) => deletion('member', await leaveTeam(services, actor, params.id)),
  }),
]
