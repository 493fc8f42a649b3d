import type { Readable } from 'node:stream'
import Type, { type TObject, type TSchema } from 'typebox'
import type { Services } from '../../features/services.ts'
import type { Access } from '../../kernel/http/access.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import type { Value } from '../../kernel/http/contract.ts'
import { type Endpoint, endpoint } from '../../kernel/http/endpoint.ts'

/** An answer that is no JSON. */
export class Served {
  readonly type: string
  readonly body: string | Buffer | Readable
  readonly headers: Readonly<Record<string, string>>

  constructor(type: string, body: string | Buffer | Readable, headers: Readonly<Record<string, string>> = {}) {
    this.type = type
    this.body = body
    this.headers = headers
  }
}

/** What Mailpit says when something was done. */
export const OK = new Served('text/plain; charset=utf-8', 'ok')

interface Input<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly services: Services
  readonly actor: Actor
}

/** A path of Mailpit's API. In the log, the metrics and the audit it is an endpoint like others; in the documents it is not. */
export interface MailpitRoute {
  readonly endpoint: Endpoint
  run(input: Input<never, never, never>): Promise<object | Served>
}

export function mailpitRoute<
  Params extends Readonly<Record<string, string>> = Readonly<Record<string, string>>,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
>({
  run,
  auditedAs,
  ...definition
}: {
  readonly id: string
  readonly route: string
  readonly access: Access
  /** Set: it is in the audit log under the name of our own endpoint that does the same. */
  readonly auditedAs?: string
  readonly query?: Query
  readonly body?: Body
  readonly maxBodyBytes?: number
  run(input: Input<Params, Value<Query>, Value<Body>>): Promise<object | Served>
}): MailpitRoute {
  const common = { ...definition, summary: 'As Mailpit has it', reply: Type.Unknown(), run: async () => ({}) }
  return {
    endpoint: auditedAs
      ? endpoint({ ...common, id: auditedAs })
      : endpoint({ ...common, id: `mailpit.${definition.id}`, audited: false }),
    run,
  }
}
