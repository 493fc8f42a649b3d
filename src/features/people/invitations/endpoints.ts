import { requireUser } from '../../../kernel/http/actor.ts'
import { IdParams, reference } from '../../../kernel/http/shapes.ts'
import { deletionAfter, endpoint, list, referenceAfter } from '../../definitions.ts'
import { copyLink, invite, inviteAgain, joinTeam, removeInvitation } from './actions.ts'
import { invitationRows, ownInvitationRows } from './queries.ts'
import {
  AcceptInvitation,
  CreateInvitation,
  DeletedInvitation,
  InvitationItem,
  InvitationLink,
  InvitationReference,
  JoinedTeam,
  OwnInvitation,
} from './schema.ts'

export const invitationEndpoints = [
  endpoint({
    id: 'invitations.create',
    access: 'people',
    route: 'POST /invitations',
    summary: 'Invite a member',
    description: 'Sends an email with a link that works once and expires in seven days. Only owners can invite owners.',
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
    description:
      'With the `token` of the link, or the `invitation_id` of one of your invitations. You must be signed in with the invited address.',
    body: AcceptInvitation,
    reply: JoinedTeam,
    run: async ({ body, services, actor }) => reference('team', await joinTeam(services, actor, body)),
  }),
  list({
    id: 'account.invitations.list',
    access: 'person',
    route: 'GET /account/invitations',
    summary: 'List invitations to you',
    description: 'Open invitations to your address, from all teams.',
    item: OwnInvitation,
    unlimited: 'all',
    rows: ({ actor, services }) => ownInvitationRows(requireUser(actor).identity.id, services.clock.now()),
  }),
  endpoint({
    id: 'invitations.resend',
    access: 'people',
    route: 'POST /invitations/:id/resend',
    summary: 'Send an invitation again',
    description: 'With a new link. The previous link stops working.',
    params: IdParams,
    reply: InvitationReference,
    run: referenceAfter('invitation', inviteAgain),
  }),
  endpoint({
    id: 'invitations.link',
    access: 'people',
    route: 'POST /invitations/:id/link',
    summary: 'Create a link to an invitation',
    description:
      'To hand over yourself. The emailed link keeps working. Someone without an account confirms their address by email before they join, except with `POSTWREN_DELIVERY=inbox`. Only owners can link to invitations of owners.',
    params: IdParams,
    reply: InvitationLink,
    run: async ({ params, services, actor }) => ({
      ...reference('invitation', params.id),
      url: await copyLink(services, actor, params.id),
    }),
  }),
  endpoint({
    id: 'invitations.remove',
    access: 'people',
    route: 'DELETE /invitations/:id',
    summary: 'Withdraw an invitation',
    params: IdParams,
    reply: DeletedInvitation,
    run: deletionAfter('invitation', removeInvitation),
  }),
]
