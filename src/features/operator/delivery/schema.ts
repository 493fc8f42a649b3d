import Type, { type Static } from 'typebox'
import { deletedOf, Id, IsoTimestamp, nullable, oneOf, referenceTo, Timestamp } from '../../../kernel/http/shapes.ts'
import { PROVIDERS } from '../../../mail/providers/providers.ts'

// How mail leaves, as operators see it: where it waits and why, what holds it back, and the rules that they make.

/** What mail is put together by. */
export const GROUPINGS = ['destination', 'provider', 'domain', 'team', 'identity', 'route'] as const

/** How mail gets on, the worst first. */
export const FLOWS = ['away', 'paused', 'slowed', 'flowing'] as const

const Kind = oneOf(['source', 'netblock', 'spf_domain', 'dkim_domain', 'url_domain', 'tenant', 'site'])

const Rate = nullable(Type.Number({ description: 'Messages a second. Null: no limit.' }))

/** Parameters that cannot be decoded keep their percent signs, and no destination has one. */
const DESTINATION = {
  minLength: 1,
  maxLength: 2_000,
  pattern: '^[^%]+$',
  description: 'A provider, the mail servers of a site with spaces between, or `@` and a domain.',
  examples: ['gmail', 'mx1.example.net mx2.example.net', '@example.com'],
}

const Reply = Type.Object({
  at: Type.String(),
  reply: Type.String(),
  class: nullable(Type.String()),
  rule: nullable(Type.String({ description: 'The rule that decided.' })),
})

const Stop = Type.Object({
  cause: oneOf(['unreachable', 'paused']),
  stopped_at: IsoTimestamp,
  stopped_until: IsoTimestamp,
  failures: Type.Integer({ description: 'In a row: each stop is longer than the one before.' }),
  host: nullable(Type.String()),
  reply: nullable(Type.String({ description: 'What was said, or why nobody could be asked.' })),
})

const FLOW = {
  state: oneOf(FLOWS),
  reason: nullable(Type.String({ description: 'Why, in a sentence. Null: nothing is in the way.' })),
  until: nullable(IsoTimestamp),
  stop: nullable({ ...Stop, description: 'All mail waits until one message has been tried.' }),
}

const COUNTS = {
  waiting: Type.Integer({ description: 'Recipients that are due, or wait for a free connection.' }),
  in_flight: Type.Integer(),
  deferred: Type.Integer(),
  held: Type.Integer({ description: 'Held by an operator, or of a suspended team.' }),
  oldest_at: nullable(IsoTimestamp),
  last_reply: nullable(Reply),
}

export const DeliveryGroup = Type.Object(
  {
    name: nullable(
      Type.String({ description: 'Null: not looked up yet, no known provider, or the rules say the route.' }),
    ),
    label: nullable(Type.String({ description: 'Of a team, its name.' })),
    ...FLOW,
    ...COUNTS,
    rate: Rate,
    max_rate: Rate,
  },
  { title: 'DeliveryGroup' },
)

export const DeliverySummary = Type.Object(
  {
    object: Type.Literal('delivery_summary'),
    by: oneOf(GROUPINGS),
    is_complete: Type.Boolean({ description: 'False: there is more, which is not counted.' }),
    data: Type.Array(DeliveryGroup),
  },
  { title: 'DeliverySummary' },
)

export const SummaryQuery = Type.Object({
  by: Type.Optional(oneOf(GROUPINGS)),
})

export const DestinationQuery = Type.Object({ name: Type.String(DESTINATION) })

const Pace = Type.Object({
  kind: Kind,
  identity: Type.String(),
  about: Type.String({ description: 'The identity, in words.' }),
  rate: Type.Number(),
  limit: Type.Number({ description: 'The rate at which the last throttle reply came.' }),
  connections: nullable(Type.Integer()),
  cut_at: IsoTimestamp,
  resumes_at: nullable(IsoTimestamp),
  reply: Type.String(),
})

const Pause = Type.Object({
  kind: Kind,
  identity: Type.String(),
  about: Type.String(),
  is_active: Type.Boolean(),
  refused_at: IsoTimestamp,
  paused_until: IsoTimestamp,
  refusals: Type.Integer({ description: 'In a row: each pause is longer than the one before.' }),
  host: nullable(Type.String()),
  reply: Type.String(),
  class: nullable(Type.String()),
  lifted_at: nullable(IsoTimestamp),
  lifted_reason: nullable(Type.String()),
})

const BoundCeiling = Type.Object({
  name: Type.String(),
  value: Type.String({ examples: ['600/h', '5', '30s', 'none'] }),
  origin: oneOf(['setting', 'built in', 'file', 'database']),
  layer: Type.String({ description: 'What the rule is about.', examples: ['provider gmail'] }),
  where: Type.String({ description: 'Of a file, with the line.', examples: ['/etc/postwren/ceilings.json:12'] }),
})

export const DeliveryDestination = Type.Object(
  {
    object: Type.Literal('delivery_destination'),
    name: Type.String(),
    kind: oneOf(['provider', 'site', 'domain']),
    ...FLOW,
    paces: Type.Array(Pace),
    pauses: Type.Array(Pause),
    ceilings: Type.Array(BoundCeiling),
  },
  { title: 'DeliveryDestination' },
)

export const PaceQuery = Type.Object({ destination: Type.String(DESTINATION) })

export const PaceHistory = Type.Object(
  {
    object: Type.Literal('pace_history'),
    is_complete: Type.Boolean({ description: 'False: there were more changes, which are older.' }),
    data: Type.Array(
      Type.Object({
        at: IsoTimestamp,
        kind: Kind,
        identity: Type.String(),
        about: Type.String(),
        cause: oneOf(['throttled', 'grown', 'forgotten']),
        from_rate: Rate,
        to_rate: Rate,
        reply: nullable(Type.String()),
        class: nullable(Type.String()),
      }),
    ),
  },
  { title: 'PaceHistory' },
)

/** Why, of whatever operators do. */
export const reason = (examples: readonly string[]) =>
  Type.String({ minLength: 1, maxLength: 500, description: 'Kept in the audit log.', examples: [...examples] })

export const LiftPauses = Type.Object(
  {
    destination: Type.String(DESTINATION),
    kind: Type.Optional(Kind),
    identity: Type.Optional(Type.String({ maxLength: 500, description: 'Without it, all of them.' })),
    reason: reason(['The blocklist has removed our address.']),
  },
  { title: 'LiftPauses' },
)

export const LiftedPauses = Type.Object(
  {
    object: Type.Literal('lifted_pauses'),
    count: Type.Integer(),
    is_stop_lifted: Type.Boolean({ description: 'The destination was stopped, and is tried now.' }),
  },
  { title: 'LiftedPauses' },
)

/** Domains as people write them. */
export const domain = (description: string) =>
  Type.String({ minLength: 1, maxLength: 253, pattern: '^[^%\\s]+$', description, examples: ['example.com'] })

const Tag = Type.String({
  minLength: 1,
  maxLength: 513,
  pattern: '^[^:]',
  description: 'A name, or a name and a value.',
  examples: ['campaign', 'campaign:spring'],
})

const MAIL = {
  destination: Type.Optional(Type.String(DESTINATION)),
  domain: Type.Optional(domain('Of the recipients.')),
  team: Type.Optional(Id),
  from: Type.Optional(domain('Of the senders.')),
  tag: Type.Optional(Tag),
}

/** Of mail that waits. */
const State = oneOf(['due', 'active', 'deferred', 'parked', 'scheduled', 'suspended', 'held', 'approval'])

export const WaitingQuery = Type.Object({
  ...MAIL,
  after: Type.Optional(Type.String({ maxLength: 200, description: 'The `next` of the page before.' })),
})

export const WaitingMail = Type.Object(
  {
    object: Type.Literal('waiting_mail'),
    next: nullable(Type.String({ description: 'Null: this is the last page.' })),
    data: Type.Array(
      Type.Object({
        id: Type.String(),
        state: State,
        team_id: Id,
        team: Type.String(),
        email_id: Id,
        recipient: Type.String(),
        subject: Type.String(),
        attempts: Type.Integer(),
        due_at: nullable({ ...IsoTimestamp, description: 'Null: as soon as its destination has room.' }),
        give_up_at: IsoTimestamp,
        last_reply: nullable(Reply),
      }),
    ),
  },
  { title: 'WaitingMail' },
)

export const SteerMail = Type.Object(
  {
    ...MAIL,
    email: Type.Optional(Id),
    states: Type.Optional(Type.Array(State, { minItems: 1, description: 'Only mail in one of these states.' })),
    due_before: Type.Optional(
      Type.String({ description: 'Only mail that is due before this moment.', examples: ['2026-10-21T09:00:00Z'] }),
    ),
    reason: reason(['The provider has confirmed that it is solved.']),
  },
  { title: 'SteerMail' },
)

/** Names are those of the settings. */
export const NAME = { minLength: 1, maxLength: 200, pattern: '^[^%]+$' }

export const MoveMail = Type.Object(
  {
    ...SteerMail.properties,
    route: nullable(
      Type.String({
        ...NAME,
        description: 'Whatever the rules say. Null: the rules decide again.',
        examples: ['backup'],
      }),
    ),
  },
  { title: 'MoveMail' },
)

export const QueueChangeReply = Type.Object(
  {
    object: Type.Literal('queue_change'),
    recipients: Type.Integer(),
    in_flight: Type.Integer({ description: 'Left alone: these are being sent at this moment.' }),
    is_complete: Type.Boolean({ description: 'False: it took too long, and there is more. Repeat it.' }),
  },
  { title: 'QueueChange' },
)

export const HoldMail = Type.Object(
  {
    domain: Type.Optional(nullable(domain('Of the recipients.'))),
    from: Type.Optional(nullable(domain('Of the senders.'))),
    team: Type.Optional(nullable(Id)),
    destination: Type.Optional(nullable(Type.String(DESTINATION))),
    tag: Type.Optional(nullable(Tag)),
    email: Type.Optional(nullable({ ...Id, description: 'One email that waits. It goes with no other field.' })),
    reason: reason(['The relay rejects everything.']),
  },
  { title: 'HoldMail' },
)

export const MailHolds = Type.Object(
  {
    object: Type.Literal('mail_holds'),
    data: Type.Array(
      Type.Object({
        id: Id,
        team_id: nullable(Id),
        team: nullable(Type.String()),
        email_id: nullable({ ...Id, description: 'The hold is about this email alone.' }),
        domain: nullable(Type.String()),
        from: nullable(Type.String()),
        destination: nullable(Type.String()),
        tag: nullable(Type.String()),
        reason: Type.String(),
        created_at: IsoTimestamp,
        recipients: Type.Integer({ description: 'Held now, counted up to 10,000.' }),
      }),
    ),
  },
  { title: 'MailHolds' },
)

export const HoldReference = referenceTo('mail_hold')
export const ReleasedHold = deletedOf('mail_hold')

const scope = (description: string, examples: readonly string[]) =>
  nullable(Type.String({ minLength: 1, maxLength: 500, description, examples: [...examples] }))

const SCOPE = {
  provider: nullable(oneOf(PROVIDERS.map(({ name }) => name))),
  site: scope('The mail servers that are asked first, with spaces between; `relay` for the relay.', [
    'mx1.example.net mx2.example.net',
  ]),
  domain: scope('Of the recipients.', ['example.com']),
  source: scope('The address that mail leaves from, or the name of a source.', ['192.0.2.1']),
}

const timeout = () => nullable(Type.String({ maxLength: 6, examples: ['30s', '2m'] }))

const VALUES = {
  connections: nullable(Type.Integer({ minimum: 1, maximum: 1_000, description: 'At once, of all processes.' })),
  messages_per_connection: nullable(Type.Integer({ minimum: 1, maximum: 10_000 })),
  rate: nullable(
    Type.String({
      maxLength: 20,
      description: 'Messages in a second, minute, hour or day, or `none`.',
      examples: ['10/s', '2000/h'],
    }),
  ),
  tls: nullable(oneOf(['opportunistic', 'enforced'])),
  connect_timeout: timeout(),
  greeting_timeout: timeout(),
  command_timeout: timeout(),
  message_timeout: timeout(),
}

export const CEILING_KEYS = Object.keys(VALUES) as (keyof typeof VALUES)[]
export const SCOPE_KEYS = Object.keys(SCOPE) as (keyof typeof SCOPE)[]

/** A rule of this installation. What it does not name is null. */
export const CeilingItem = Type.Object(
  { id: Id, ...SCOPE, ...VALUES, reason: nullable(Type.String()), created_at: Timestamp, updated_at: Timestamp },
  { title: 'DeliveryCeiling' },
)

export const CreateCeiling = Type.Object(
  {
    ...Type.Partial(Type.Object({ ...SCOPE, ...VALUES })).properties,
    reason: reason(['Gmail asks new addresses for patience.']),
  },
  { title: 'CreateDeliveryCeiling' },
)

export const UpdateCeiling = Type.Object(CreateCeiling.properties, { title: 'UpdateDeliveryCeiling' })

export const RemoveCeilingQuery = Type.Object({ reason: reason(['No longer needed.']) })

export const CeilingReference = referenceTo('delivery_ceiling')
export const DeletedCeiling = deletedOf('delivery_ceiling')

export type GivenCeiling = Static<typeof CreateCeiling>
export type Grouping = (typeof GROUPINGS)[number]
export type Flow = (typeof FLOWS)[number]
