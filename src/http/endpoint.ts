import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { TObject, TSchema } from 'typebox'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import type { Sealer } from '../platform/secrets.ts'
import type { Caller } from './auth.ts'
import type { Contract, Value } from './contract.ts'

/** What an endpoint may use besides its input. Everything it reads or writes belongs to `team`. */
export interface Context {
  readonly db: Database
  readonly clock: Clock
  readonly config: Config
  readonly sealer: Sealer
  readonly team: string
  readonly caller: Caller
  readonly keyUse: KeyUse
}

/** What the kernel tells about keys, and what endpoints tell the kernel about them. */
export interface KeyUse {
  /** Writes down when keys were last used, if that is still to be done. */
  flush(): Promise<void>
  /** A key changed: the next request looks it up again. */
  forget(): void
}

/** A body that is not JSON: the endpoint reads it as a stream. */
export interface RawBody {
  readonly headers: IncomingHttpHeaders
  readonly stream: Readable
}

/** JSON that is text already, or its bytes, and is passed through as it is. */
export class JsonText {
  readonly text: string | Buffer

  constructor(text: string | Buffer) {
    this.text = text
  }
}

/** What a request to create gets when the thing was there before: 200 instead of 201. */
export class AlreadyThere<Reply> {
  readonly reply: Reply

  constructor(reply: Reply) {
    this.reply = reply
  }
}

type Answer<Reply> = Reply | JsonText | AlreadyThere<Reply> | AsyncIterable<string>

interface Input<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly raw: RawBody
  readonly context: Context
}

/** Who may call: any key that sends, or only one with full access. */
export type Access = 'full_access' | 'sending_access'

/** One operation of the API. Router, validation, permission, OpenAPI, types and the table-driven tests derive from it. */
export interface Endpoint {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  /** Another path under which clients look for it. Not in the documents. */
  readonly alias?: string
  readonly summary: string
  readonly isDeprecated: boolean
  readonly access: Access
  readonly status: number
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TSchema
  readonly reply: TSchema
  /** Set: what the log blanks in a body, where `body` leaves more open than the endpoint does. */
  readonly loggedAs?: TSchema
  /** When a JSON body may be larger than usual. */
  readonly maxBodyBytes?: number
  /** Set: the endpoint takes `multipart/form-data` with these fields, and reads the stream itself. */
  readonly upload?: { fields: TObject }
  run(input: Input<never, never, never>): Promise<Answer<unknown>>
}

interface Definition<
  Id extends string,
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Reply extends TSchema,
> {
  /** Resource and act, `contacts.get`: the operation's id in OpenAPI. */
  id: Id
  /** `GET /contacts/:id` */
  route: string
  alias?: string
  summary: string
  deprecated?: true
  access?: Access
  /** 200 unless said otherwise. */
  status?: 200 | 201 | 202
  params?: Params
  query?: Query
  body?: Body
  loggedAs?: TSchema
  maxBodyBytes?: number
  upload?: { fields: TObject }
  reply: Reply
  run(input: Input<Value<Params>, Value<Query>, Value<Body>>): Promise<Answer<Value<Reply>>>
}

export function endpoint<
  const Id extends string,
  Reply extends TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
>(definition: Definition<Id, Params, Query, Body, Reply>): Endpoint & Contract<Id, Params, Query, Body, Reply> {
  const { route, deprecated, access = 'full_access', status = 200, ...rest } = definition
  const [method, path] = route.split(' ') as [Endpoint['method'], string]
  return { ...rest, method, path, access, status, isDeprecated: deprecated ?? false }
}
