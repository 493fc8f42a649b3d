import type { TObject, TSchema } from 'typebox'
import type { Actor } from '../kernel/http/actor.ts'
import type { Contract } from '../kernel/http/contract.ts'
import { type Endpoint, type EndpointDefinition, endpoint as endpointWith } from '../kernel/http/endpoint.ts'
import { type ListDefinition, type ListEndpoint, list as listWith } from '../kernel/http/list.ts'
import {
  type PublicRoute,
  type PublicRouteDefinition,
  publicRoute as publicRouteWith,
} from '../kernel/http/public-route.ts'
import { deletion, reference } from '../kernel/http/shapes.ts'
import type { Job } from '../kernel/jobs/job.ts'
import type { Services } from './services.ts'

// What resources are made of. The kernel leaves open which services there are; here they are the ones of this program.

export const endpoint = <
  const Id extends string,
  Reply extends TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
>(
  definition: EndpointDefinition<Services, Id, Params, Query, Body, Reply>,
): Endpoint<Services> & Contract<Id, Params, Query, Body, Reply> => endpointWith(definition)

export const list = <
  const Id extends string,
  Item extends TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
>(
  definition: ListDefinition<Services, Id, Item, Params, Query>,
): ListEndpoint<Services, Id, Item, Params, Query> => listWith(definition)

export const publicRoute = <Params extends Readonly<Record<string, string>>>(
  definition: PublicRouteDefinition<Services, Params>,
): PublicRoute<Services> => publicRouteWith(definition)

export const job = <Payload extends object>(definition: Job<Payload, Services>): Job<Payload, Services> => definition

/** An act on what the path names. */
type ActById<Body> = (services: Services, actor: Actor, id: string, body: Body) => Promise<unknown>

interface RequestById<Body> {
  readonly params: { readonly id: string }
  readonly body: Body
  readonly services: Services
  readonly actor: Actor
}

/** Does it, and answers with a reference to what it was done to. */
export const referenceAfter =
  <const Name extends string, Body>(object: Name, act: ActById<Body>) =>
  async ({ params, body, services, actor }: RequestById<Body>) => {
    await act(services, actor, params.id, body)
    return reference(object, params.id)
  }

/** Removes it, and says so. */
export const deletionAfter =
  <const Name extends string>(object: Name, act: ActById<undefined>) =>
  async ({ params, services, actor }: Omit<RequestById<unknown>, 'body'>) => {
    await act(services, actor, params.id, undefined)
    return deletion(object, params.id)
  }
