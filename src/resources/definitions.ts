import type { TObject, TSchema } from 'typebox'
import { type Endpoint, type EndpointDefinition, endpoint as endpointWith } from '../http/endpoint.ts'
import { type ListDefinition, list as listWith } from '../http/list.ts'
import { type PublicRoute, type PublicRouteDefinition, publicRoute as publicRouteWith } from '../http/public-route.ts'
import type { Job } from '../platform/jobs/job.ts'
import type { Services } from './services.ts'

// What resources are made of. The kernel leaves open which services there are; here they are the ones of this program.

export const endpoint = <
  Reply extends TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
>(
  definition: EndpointDefinition<Services, Params, Query, Body, Reply>,
): Endpoint<Services> => endpointWith(definition)

export const list = <Params extends TObject = TObject, Query extends TObject = TObject>(
  definition: ListDefinition<Services, Params, Query>,
): Endpoint<Services> => listWith(definition)

export const publicRoute = <Params extends Readonly<Record<string, string>>>(
  definition: PublicRouteDefinition<Services, Params>,
): PublicRoute<Services> => publicRouteWith(definition)

export const job = <Payload extends object>(definition: Job<Payload, Services>): Job<Payload, Services> => definition
