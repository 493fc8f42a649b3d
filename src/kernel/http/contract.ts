import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Defaulted } from './shapes.ts'

/**
 * What a caller has to know about an endpoint, in its type alone. At run time there is only the id: nobody reads `~contract`, so
 * programs in a browser import the type of all endpoints and none of the server.
 */
export interface Contract<
  Id extends string = string,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Reply extends TSchema = TSchema,
> {
  readonly id: Id
  readonly '~contract'?: { params: Params; query: Query; body: Body; reply: Reply }
}

/** The endpoints' contracts by id. Static types are made of them only where they are asked for. */
export type ContractsOf<Endpoint extends Contract> = {
  readonly [Each in Endpoint as Each['id']]: NonNullable<Each['~contract']>
}

/** What was not given is an open schema, and counts for nothing. */
type Given<Schema extends TSchema, Open extends TSchema> = Open extends Schema ? unknown : Static<Schema>

type AnyContract = NonNullable<Contract['~contract']>

/** Parameters of the path and of the query by their names, and the body: `{ id, limit, body }`. */
export type InputOf<Of extends AnyContract> = Given<Of['params'], TObject> &
  Words<Given<Of['query'], TObject>> &
  (TSchema extends Of['body'] ? unknown : { readonly body: BodyOf<Of['body']> })

/** What has a default may be left out. */
type BodyOf<Body extends TSchema> =
  Body extends TObject<infer Fields>
    ? Loose<Omit<Static<Body>, DefaultedName<Fields>>> & { [Name in DefaultedName<Fields>]?: Static<Fields[Name]> }
    : Static<Body>

type DefaultedName<Fields extends TProperties> = {
  [Name in keyof Fields]: Fields[Name] extends Defaulted ? Name : never
}[keyof Fields]

/** What is undefined is not sent. */
type Loose<Fields> = { [Name in keyof Fields]: Fields[Name] | (undefined extends Fields[Name] ? undefined : never) }

/** In an address everything is text. */
type Words<Fields> = Loose<{ [Name in keyof Fields]: Fields[Name] | (string extends Fields[Name] ? number : never) }>

export type ReplyOf<Of extends AnyContract> = Static<Of['reply']>

/**
 * What a schema describes, where functions take or return it. Schemas say what the types are, and not the other way round: without
 * NoInfer the compiler looks for schemas in what is taken and returned, 1.2 million instantiations for an endpoint.
 */
export type Value<Schema extends TSchema> = NoInfer<Static<Schema>>
