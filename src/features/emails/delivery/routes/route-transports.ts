import { ApiSender, type MailApi } from '../../../../adapters/mail-api/api-sender.ts'
import { resendApi } from '../../../../adapters/mail-api/resend.ts'
import { sesApi } from '../../../../adapters/mail-api/ses.ts'
import { OutgoingHttp } from '../../../../adapters/outgoing-http/outgoing-http.ts'
import type { RouteDefinition, RouteTable } from '../../../../mail/routes/routes.ts'
import { whenKnown } from '../../../../platform/concurrency/maybe-promise.ts'
import type { DestinationResolver } from '../transport/destination-resolvers.ts'
import { apiResolver, RELAY, relayResolver } from '../transport/destination-resolvers.ts'
import { type SmtpTransportParts, smtpTransport } from '../transport/smtp-transport.ts'
import { buildResendBody, objectionToSubmitted } from './resend-body.ts'
import { type RouteTransport, routeQueue } from './routed-transport.ts'

export interface RouteTransportParts extends Omit<SmtpTransportParts, 'router' | 'route'> {
  /** To one server or service, where the route does not say. */
  readonly connections: number
  /** Of direct delivery. */
  directResolver(): DestinationResolver
  /** What a test has put in the place of the only route's. */
  readonly router?: DestinationResolver | undefined
}

/** What mail of a route is parked for. A relay that is the only route is called what it was always called. */
export const queueOfRoute = ({ routes }: RouteTable, { name, kind }: RouteDefinition): string =>
  routes.length === 1 && kind === 'relay' && name === RELAY ? RELAY : routeQueue(name)

/** The transports of the routes. */
export const routeTransportsOf = (table: RouteTable, parts: RouteTransportParts): RouteTransport[] =>
  table.routes.map((route) => {
    const { name } = route
    const queue = queueOfRoute(table, route)
    const isOnly = table.routes.length === 1
    // What others refuse on this route is refused for its servers' addresses, and not for ours.
    const isOurs = isOnly || route.kind === 'direct'
    const source = isOurs ? parts.source : { source: queue, netblock: queue }
    const sources = isOurs && (route.kind === 'direct' || route.kind === 'relay') ? parts.sources : null
    const { router, ...more } = wayBy(route, queue, parts)
    const transport = smtpTransport({ ...parts, route: name, source, sources, ...more, router })
    return {
      ...{ name, queue, transport, hasOneServer: router.hasOneServer === true },
      ...(route.kind === 'resend' && { objectionTo: objectionToSubmitted(name) }),
    }
  })

/** Where mail of a route goes. */
export function resolverOfRoute(
  route: RouteDefinition,
  queue: string,
  { clock, connections: usual, directResolver }: Pick<RouteTransportParts, 'clock' | 'connections' | 'directResolver'>,
): DestinationResolver {
  if (route.kind === 'direct') return directResolver()
  const connections = route.connections ?? usual
  return route.kind === 'relay'
    ? relayResolver({ RELAY_URL: route.url, RELAY_CONNECTIONS: connections }, clock, queue)
    : apiResolver(queue, connections)
}

function wayBy(
  route: RouteDefinition,
  queue: string,
  parts: RouteTransportParts,
): Partial<SmtpTransportParts> & { readonly router: DestinationResolver } {
  if (route.kind === 'direct' || route.kind === 'relay')
    return { router: parts.router ?? resolverOfRoute(route, queue, parts) }
  const { clock } = parts
  const connections = route.connections ?? parts.connections
  return {
    router: resolverOfRoute(route, queue, parts),
    sender: new ApiSender(apiOf(route), { http: operatorsHttp(), clock, connections }),
    // The service signs what it sends.
    identityOf: (email) => whenKnown(parts.identityOf(email), (identity) => identity && { ...identity, signers: [] }),
    ...(route.kind === 'resend' && { build: buildResendBody }),
  }
}

/** The operator has named the service, which may be in the same network. */
export const operatorsHttp = () => new OutgoingHttp({ allowPrivateAddresses: true })

export const apiOf = (route: Extract<RouteDefinition, { kind: 'ses' | 'resend' }>): MailApi =>
  route.kind === 'ses' ? sesApi(route) : resendApi(route)
