import { deletion, IdParams, reference } from '../../http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { invite, inviteAgain, joinTeam, removeInvitation } from './actions.ts'
import { invitationRows } from './queries.ts'
import {
  AcceptInvitation,
  CreateInvitation,
  DeletedInvitation,
  InvitationItem,
  InvitationReference,
  JoinedTeam,
} from './schema.ts'

export const invitationEndpoints = [
  endpoint({
    id: 'invitations.create',
    access: 'people',
    route: 'POST /invitations',
    summary: 'Invite somebody to the team',
    description: 'They get a mail with a link that is good once, for seven days. Only owners invite owners.',
    status: 201,
    body: CreateInvitation,
    reply: InvitationReference,
    run: async ({ body, services, actor }) => reference('invitation', await invite(services, actor, body)),
  }),
  list({
    id: 'invitations.list',
    access: 'people',
    route: 'GET /invitations',
    summary: 'List invitations',
    item: InvitationItem,
    unlimited: 'all',
    rows: ({ actor }) => invitationRows(actor.team),
  }),
  endpoint({
    id: 'invitations.accept',
    access: 'person',
    route: 'POST /invitations/accept',
    summary: 'Join a team',
    body: AcceptInvitation,
    reply: JoinedTeam,
    run: async ({ body, services, actor }) => reference('team', await joinTeam(services, actor, body.token)),
  }),
  endpoint({
    id: 'invitations.resend',
    access: 'people',
    route: 'POST /invitations/:id/resend',
    summary: 'Send an invitation again',
    description: 'With another link. The one before is good for nothing then.',
    params: IdParams,
    reply: InvitationReference,
    async run({ params, services, actor }) {
      await inviteAgain(services, actor, params.id)
      return reference('invitation', params.id)
    },
  }),
  endpoint({
    id: 'invitations.remove',
    access: 'people',
    route: 'DELETE /invitations/:id',
    summary: 'Withdraw an invitation',
    params: IdParams,
    reply: DeletedInvitation,
    async run({ params, services, actor }) {
      await removeInvitation(services, actor, params.id)
      return deletion('invitation', params.id)
    },
  }),
]
