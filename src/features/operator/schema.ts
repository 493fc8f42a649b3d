import Type, { type Static } from 'typebox'
import { Id, nullable, objectOf, referenceTo, Timestamp } from '../../kernel/http/shapes.ts'

/** Beyond this a limit is none: it is what JSON can carry. */
const MOST = Number.MAX_SAFE_INTEGER
const MOST_INT = 2_147_483_647

const limit = (description: string, maximum = MOST) =>
  nullable(Type.Integer({ minimum: 0, maximum, description, examples: [100] }))

/** What the operator allows a team. Null: as much as it likes. */
export const TeamLimits = Type.Object(
  {
    emails_per_day: limit(
      'Recipients of mail that is sent, and messages that are received, from midnight to midnight UTC.',
    ),
    emails_per_month: limit('The same from the first of a month to the next, UTC.'),
    recipients_per_second: nullable(
      Type.Integer({
        minimum: 1,
        maximum: MOST_INT,
        description: 'Of mail that is handed in by HTTP or SMTP.',
        examples: [100],
      }),
    ),
    contacts: limit('Contacts that the team has.'),
    domains: limit('Domains that the team has.', MOST_INT),
    webhooks: limit('Webhooks that the team has.', MOST_INT),
    received_per_day: limit('Messages that are received, from midnight to midnight UTC.'),
  },
  { title: 'TeamLimits' },
)

export const ChangeLimits = Type.Partial(TeamLimits, { title: 'ChangeTeamLimits' })

const Counted = Type.Object({ sent: Type.Number(), received: Type.Number() })

/** A team as the operator of the installation sees it. */
export const OperatedTeamItem = Type.Object(
  {
    id: Id,
    name: Type.String(),
    created_at: Timestamp,
    suspended_at: nullable(Timestamp),
    suspended_reason: nullable(Type.String()),
    delete_at: nullable(Timestamp),
    members: Type.Number(),
    today: Counted,
    this_month: Counted,
    limits: TeamLimits,
  },
  { title: 'OperatedTeamItem' },
)

export const OperatedTeam = Type.Object(
  {
    ...objectOf('operated_team', OperatedTeamItem).properties,
    contacts: Type.Number(),
    domains: Type.Number(),
    webhooks: Type.Number(),
  },
  { title: 'OperatedTeam' },
)

export const TeamFilter = Type.Object({
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      // What cannot be decoded is left with its percent signs, and is no name.
      pattern: '^[^%]+$',
      description: 'The name of a team, or a part of it.',
      examples: ['Acme'],
    }),
  ),
})

/** People of the team read it. */
export const SuspendTeam = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 500, examples: ['Too many complaints.'] }) },
  { title: 'SuspendTeam' },
)

export const OperatedTeamReference = referenceTo('operated_team')

export type Limits = Static<typeof TeamLimits>
