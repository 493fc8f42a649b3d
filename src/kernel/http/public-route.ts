import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

export interface PublicAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | Readable
}

/**
 * A page or a download that people open without a key: links in mails, shared emails, attachments. No actor: the token in its address
 * says what may be seen.
 */
export interface PublicRoute<in Services = never> {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly path: string
  tokenElsewhere?(input: Pick<PublicInput<Services, never>, 'params' | 'visitor' | 'services'>): string
  run(input: PublicInput<Services, never>): Promise<PublicAnswer>
}

interface PublicInput<Services, Params> {
  readonly params: Params
  readonly query: Readonly<Record<string, unknown>>
  /** What a form was filled in with. */
  readonly form: URLSearchParams
  readonly visitor: Visitor
  readonly services: Services
}

/** Who asks, as far as a request tells. */
export interface Visitor {
  readonly method: string
  /** The name by which the server was asked for, without a port; a proxy beside us is believed about it. */
  readonly host: string
  readonly ipAddress: string
  readonly headers: IncomingHttpHeaders
}

export interface PublicRouteDefinition<Services, Params> {
  /** `GET /downloads/:token` */
  route: string
  /** The token with which another cell takes the link, which the team of the link has moved to. The same, unless it is bound to a host. */
  tokenElsewhere?(input: Pick<PublicInput<Services, Params>, 'params' | 'visitor' | 'services'>): string
  run(input: PublicInput<Services, Params>): Promise<PublicAnswer>
}

export function publicRoute<Services, Params extends Readonly<Record<string, string>>>(
  definition: PublicRouteDefinition<Services, Params>,
): PublicRoute<Services> {
  const [method, path] = definition.route.split(' ') as [PublicRoute['method'], string]
  const { run, tokenElsewhere } = definition as unknown as PublicRoute<Services>
  return { method, path, run, ...(tokenElsewhere && { tokenElsewhere }) }
}
