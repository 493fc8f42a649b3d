import Type, { type Static } from 'typebox'
import { Id, nullable, oneOf, Timestamp } from '../../kernel/http/shapes.ts'

export const APPROVAL_STATUSES = ['waiting', 'approved', 'refused', 'expired', 'canceled'] as const
export const HOLDER_KINDS = ['api_key', 'oauth_grant', 'inbox_agent'] as const

/** So many can be decided about at once. */
export const MAX_DECIDED = 100

const Addresses = Type.Array(Type.String())

const Holder = Type.Object(
  {
    kind: oneOf(HOLDER_KINDS),
    id: Id,
    name: nullable(Type.String({ description: 'Null: the key, the app or the inbox was deleted.' })),
  },
  { description: 'Whose policy lets the email wait.' },
)

export const ApprovalItem = Type.Object(
  {
    object: Type.Literal('approval'),
    id: Type.String({ ...Id, description: 'That of the email.' }),
    status: oneOf(APPROVAL_STATUSES),
    policy_id: Id,
    holder: Holder,
    from: Type.String(),
    to: Addresses,
    cc: Addresses,
    bcc: Addresses,
    subject: Type.String(),
    scheduled_at: nullable(Timestamp),
    created_at: Timestamp,
    expires_at: Timestamp,
    decided_at: nullable(Timestamp),
    decided_by: nullable(
      Type.String({
        description: 'The address of a person, or the name of an API key or an app. Null: nobody has decided.',
        examples: ['ada@example.com'],
      }),
    ),
  },
  { title: 'Approval' },
)
export type ApprovalItem = Static<typeof ApprovalItem>

export const ApprovalFilter = Type.Object({
  status: Type.Optional(
    Type.Unsafe<(typeof APPROVAL_STATUSES)[number]>({
      type: 'string',
      enum: APPROVAL_STATUSES,
      description: '`waiting` unless it says otherwise.',
    }),
  ),
})

export const DECISIONS = ['approve', 'refuse'] as const

export const DecideApprovals = Type.Object(
  { decision: oneOf(DECISIONS), ids: Type.Array(Id, { minItems: 1, maxItems: MAX_DECIDED }) },
  { title: 'DecideApprovals' },
)

const DecidedApproval = Type.Object({
  id: Id,
  outcome: Type.Unsafe<'decided' | 'already_decided' | 'policy_refused' | 'not_found'>({
    type: 'string',
    enum: ['decided', 'already_decided', 'policy_refused', 'not_found'],
    description:
      '`already_decided`: `status` and `decided_by` say what somebody else has decided before, or that it is too late. `policy_refused`: a limit of its policy leaves no room for it, so it waits on; `message` names the limit.',
  }),
  status: nullable(oneOf(APPROVAL_STATUSES)),
  decided_by: nullable(Type.String()),
  message: nullable(Type.String()),
})

export const DecidedApprovals = Type.Object(
  { object: Type.Literal('approval_decisions'), data: Type.Array(DecidedApproval) },
  { title: 'DecidedApprovals' },
)
