import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Context } from './endpoint.ts'

/** What a route without a key may use: no team, no caller. The token in its address says what may be seen. */
export interface PublicContext extends Omit<Context, 'team' | 'caller' | 'keyUse'> {}

export interface PublicAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | Readable
}

/** A page or a download that people open without a key: links in mails, shared emails, attachments. */
export interface PublicRoute {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly path: string
  run(input: PublicInput<never>): Promise<PublicAnswer>
}

interface PublicInput<Params> {
  readonly params: Params
  readonly query: Readonly<Record<string, unknown>>
  /** What a form was filled in with. */
  readonly form: URLSearchParams
  readonly visitor: Visitor
  readonly context: PublicContext
}

/** Who asks, as far as a request tells. */
export interface Visitor {
  readonly method: string
  /** The name by which the server was asked for, without a port; a proxy beside us is believed about it. */
  readonly host: string
  readonly ipAddress: string
  readonly headers: IncomingHttpHeaders
}

export function publicRoute<Params extends Readonly<Record<string, string>>>(definition: {
  /** `GET /downloads/:token` */
  route: string
  run(input: PublicInput<Params>): Promise<PublicAnswer>
}): PublicRoute {
  const [method, path] = definition.route.split(' ') as [PublicRoute['method'], string]
  return { method, path, run: definition.run as PublicRoute['run'] }
}
