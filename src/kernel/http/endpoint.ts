import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { TObject, TSchema } from 'typebox'
import { type Access, accessOf } from './access.ts'
import type { Actor } from './actor.ts'
import type { Contract, Value } from './contract.ts'
import type { RequestHeader, RequestHeaders } from './headers.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** A body that is not JSON: the endpoint reads it as a stream. */
export interface RawBody {
  readonly headers: IncomingHttpHeaders
  readonly stream: Readable
  /** Whoever has read the stream calls this before anything counts: it throws unless the caller may still do this. */
  admitAgain(): Promise<void>
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

type Answer<Reply> = Reply | JsonText | AlreadyThere<Reply> | AsyncIterable<string | Buffer>

interface Input<Services, Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Those that it has named. */
  readonly headers: RequestHeaders
  readonly raw: RawBody
  /** What it may use besides its input. */
  readonly services: Services
  readonly actor: Actor
}

/**
 * One operation of the API. Router, validation, permission, OpenAPI, types and the table-driven tests derive from it.
 */
export interface Endpoint<in Services = never> {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  /** Another path under which clients look for it. Not in the documents. */
  readonly alias?: string
  readonly summary: string
  /** A sentence more, where the summary does not say all. */
  readonly description?: string
  readonly isDeprecated: boolean
  /** What it gives access to: who may call it follows from that. */
  readonly access: Access
  /** Whether it is in the audit log. */
  readonly isAudited: boolean
  /** Whether calls from the dashboard that change something are in the log of requests. */
  readonly isLogged: boolean
  readonly status: number
  /** Whether what it creates may be there already: `AlreadyThere`. */
  readonly mayExist?: true
  readonly params?: TObject
  readonly query?: TObject
  /** Headers that it asks for, besides those of every request. */
  readonly headers?: readonly RequestHeader[]
  readonly body?: TSchema
  readonly reply: TSchema
  /** Set: the body as it is described, and what the log blanks in it, where `body` leaves more open than the endpoint does. */
  readonly describedAs?: TSchema
  /** When a JSON body may be larger than usual. */
  readonly maxBodyBytes?: number
  /** Set: the endpoint takes `multipart/form-data` with these fields, and reads the stream itself. */
  readonly upload?: { fields: TObject }
  /** Set: what it answers is no JSON. */
  readonly replyType?: 'text/csv'
  run(input: Input<Services, never, never, never>): Promise<Answer<unknown>>
}

export interface EndpointDefinition<
  Services,
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
  description?: string
  deprecated?: true
  /** Unless it is `read` for GET, and `write` for the rest. */
  access?: Access
  /** False for what changes something and is done all the time, like sending: `GET /logs` has it. */
  audited?: false
  /** False for what an open dashboard does by itself all the time. */
  logged?: false
  /** 200 unless said otherwise. */
  status?: 200 | 201 | 202
  mayExist?: true
  params?: Params
  query?: Query
  headers?: readonly RequestHeader[]
  body?: Body
  describedAs?: TSchema
  maxBodyBytes?: number
  upload?: { fields: TObject }
  replyType?: 'text/csv'
  reply: Reply
  run(input: Input<Services, Value<Params>, Value<Query>, Value<Body>>): Promise<Answer<Value<Reply>>>
}

export function endpoint<
  Services,
  const Id extends string,
  Reply extends TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
>(
  definition: EndpointDefinition<Services, Id, Params, Query, Body, Reply>,
): Endpoint<Services> & Contract<Id, Params, Query, Body, Reply> {
  const { route, deprecated, status = 200, access, audited, logged, ...rest } = definition
  const [method, path] = route.split(' ') as [Endpoint['method'], string]
  return {
    ...rest,
    method,
    path,
    status,
    access: access ?? accessOf(method),
    isAudited: audited ?? method !== 'GET',
    isLogged: logged ?? method !== 'GET',
    isDeprecated: deprecated ?? false,
  }
}
