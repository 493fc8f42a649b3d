import Type from 'typebox'
import { IsoTimestamp, nullable, oneOf } from '../../../../kernel/http/shapes.ts'
import { PROVIDERS } from '../../../../mail/providers/providers.ts'
import { ROUTE_KINDS } from '../../../../mail/routes/routes.ts'
import { domain, NAME, reason } from '../schema.ts'

// The ways that mail takes, and the addresses that it leaves from.

const ROUTE_STATES = ['up', 'down', 'held'] as const

export const DeliveryRoutes = Type.Object(
  {
    object: Type.Literal('delivery_routes'),
    data: Type.Array(
      Type.Object({
        name: Type.String(),
        kind: oneOf(ROUTE_KINDS),
        host: nullable(Type.String({ description: 'Null: the mail servers of the recipients.' })),
        state: oneOf(ROUTE_STATES),
        since: nullable({ ...IsoTimestamp, description: 'Null: it never had a fault.' }),
        retry_at: nullable({ ...IsoTimestamp, description: 'Of one that is down: when the next mail is let through.' }),
        last_fault: nullable(
          Type.Object({
            kind: oneOf(['connection', 'login', 'tls', 'refused', 'answer']),
            about: Type.String({ description: 'In words.', examples: ['cannot be reached'] }),
            reply: Type.String(),
            at: IsoTimestamp,
          }),
        ),
        hold_reason: nullable(Type.String()),
      }),
    ),
  },
  { title: 'DeliveryRoutes' },
)

const route = Type.String({ ...NAME, description: 'Its name.', examples: ['backup'] })

export const HoldRoute = Type.Object({ route, reason: reason(['The provider has an outage.']) }, { title: 'HoldRoute' })
export const ReleaseRoute = Type.Object({ route, reason: reason(['The outage is over.']) }, { title: 'ReleaseRoute' })

export const RouteChange = Type.Object(
  {
    object: Type.Literal('route_change'),
    route: Type.String(),
    is_changed: Type.Boolean({ description: 'False: it was so already.' }),
  },
  { title: 'RouteChange' },
)

const WarmUp = Type.Object({
  provider: Type.String(),
  day: Type.Integer({ description: 'Sending days that went well.' }),
  sent_today: nullable(Type.Integer({ description: 'Null: finished, and not counted.' })),
  allowance: nullable(Type.Integer({ description: 'For today. Null: no limit.' })),
  deferred_today: Type.Integer(),
  is_blocked: Type.Boolean(),
  is_finished: Type.Boolean(),
})

export const DeliverySources = Type.Object(
  {
    object: Type.Literal('delivery_sources'),
    data: Type.Array(
      Type.Object({
        name: Type.String(),
        address: Type.String(),
        ehlo: Type.String(),
        pools: Type.Array(Type.Object({ name: Type.String(), weight: Type.Number() })),
        processes: Type.Integer({ description: 'Running processes that have its address.' }),
        warms_up: Type.Boolean(),
        warm_ups: Type.Array(WarmUp),
        pauses: Type.Array(
          Type.Object({ destination: Type.String(), paused_until: IsoTimestamp, reply: Type.String() }),
        ),
      }),
    ),
    domains: Type.Array(Type.Object({ name: Type.String(), warm_ups: Type.Array(WarmUp) }), {
      description: 'Sending domains that are warmed up.',
    }),
  },
  { title: 'DeliverySources' },
)

export const SteerWarmUp = Type.Object(
  {
    source: Type.Optional(Type.String({ ...NAME, description: 'The name of a source. Either this or `domain`.' })),
    domain: Type.Optional(domain('A sending domain.')),
    provider: Type.Optional({
      ...nullable(oneOf(PROVIDERS.map(({ name }) => name))),
      description: 'Without it, at all of them.',
    }),
    reason: reason(['The address was used for years.']),
  },
  { title: 'SteerWarmUp' },
)

export const SteeredWarmUp = Type.Object(
  {
    object: Type.Literal('warm_up'),
    source: nullable(Type.String()),
    domain: nullable(Type.String()),
    provider: nullable(Type.String()),
  },
  { title: 'SteeredWarmUp' },
)
