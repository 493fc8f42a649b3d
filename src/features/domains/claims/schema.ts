import Type, { type Static } from 'typebox'
import { Id, nullable, oneOf, Timestamp } from '../../../kernel/http/shapes.ts'
import { REGIONS } from '../schema.ts'

// The contract knows two more statuses: `verified`, which here lasts no longer than a transaction, and `failed`.
export const CLAIM_STATUSES = ['pending', 'blocked', 'completed', 'expired', 'superseded', 'canceled'] as const

// And two more reasons, which protect an owner who does not control the DNS any more. Here the DNS alone decides.
const BLOCKED_REASONS = ['pending_scheduled_emails'] as const
export type BlockedReason = (typeof BLOCKED_REASONS)[number]

export const DomainClaim = Type.Object(
  {
    object: Type.Literal('domain_claim'),
    id: Id,
    name: Type.String(),
    status: oneOf(CLAIM_STATUSES),
    domain_id: nullable(Id),
    region: oneOf(REGIONS),
    record: Type.Object({
      type: Type.Literal('TXT'),
      name: Type.String(),
      value: Type.String(),
      ttl: Type.Literal('Auto'),
    }),
    blocked_reason: nullable(oneOf(BLOCKED_REASONS)),
    failure_reason: Type.Null(),
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'DomainClaim' },
)

export type DomainClaim = Static<typeof DomainClaim>
