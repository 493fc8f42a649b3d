import { type keepPreviousData, type QueryKey, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { call, type EndpointId, type IdBeginning, type Input, type Reply } from './api.ts'

/** Under which an answer is kept: the endpoint's id, which acts and the live feed name, and what it was asked for. */
export const keyOf = <Id extends EndpointId>(id: Id, input: Input<Id>): QueryKey => [id, input]

/** Whether a key is of one of these endpoints, or of one whose id begins like this. */
export const isOneOf = ([id]: QueryKey, beginnings: Iterable<IdBeginning>) =>
  [...beginnings].some((beginning) => `${id}.`.startsWith(`${beginning}.`))

/** Of all that a query can do, what is done here: a type of its own, since checking every call against all of it takes seconds. */
interface Options<Answer> {
  readonly enabled?: boolean
  readonly staleTime?: number
  readonly placeholderData?: typeof keepPreviousData
  readonly refetchInterval?: (query: { readonly state: { readonly data: Answer | undefined } }) => number | false
}

/** What an endpoint answers, kept fresh for as long as it is shown: `useCall('contacts.get', { idOrEmail })`. */
export function useCall<Id extends EndpointId>(
  id: Id,
  input: Input<Id>,
  options: Options<Reply<Id>> = {},
): UseQueryResult<Reply<Id>> {
  const queryFn = (): Promise<unknown> => call(id, input)
  return useQuery({ ...(options as Options<unknown>), queryKey: keyOf(id, input), queryFn }) as UseQueryResult<
    Reply<Id>
  >
}
