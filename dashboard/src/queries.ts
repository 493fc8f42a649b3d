import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { call, type EndpointId, type IdBeginning, type Input, type Reply } from './api.ts'

/** Under which an answer is kept: the endpoint's id, which acts and the live feed name, and what it was asked for. */
export const keyOf = <Id extends EndpointId>(id: Id, input: Input<Id>) => [id, input] as const

/** Whether a key is of one of these endpoints, or of one whose id begins like this. */
export const isOneOf = ([id]: QueryKey, beginnings: Iterable<IdBeginning>) =>
  [...beginnings].some((beginning) => `${id}.`.startsWith(`${beginning}.`))

type Options<Id extends EndpointId> = Omit<UseQueryOptions<Reply<Id>>, 'queryKey' | 'queryFn'>

/** What an endpoint answers, kept fresh for as long as it is shown: `useCall('contacts.get', { idOrEmail })`. */
export const useCall = <Id extends EndpointId>(id: Id, input: Input<Id>, options: NoInfer<Options<Id>> = {}) =>
  useQuery<Reply<Id>>({ ...options, queryKey: keyOf(id, input), queryFn: () => call(id, input) })
