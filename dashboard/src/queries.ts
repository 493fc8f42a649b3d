import {
  type keepPreviousData,
  type Query,
  type QueryClient,
  type QueryKey,
  type UseQueryResult,
  useQuery,
} from '@tanstack/react-query'
import { call, type EndpointId, type IdBeginning, type Input, type Reply, type Where } from './api.ts'
import { isPassing } from './problems.ts'

/** Under which an answer is kept: the endpoint's id, which acts and the live feed name, what it was asked for, and where. */
export const keyOf = <Id extends EndpointId>(id: Id, input: Input<Id>, sandbox?: string): QueryKey =>
  sandbox === undefined ? [id, input] : [id, input, { sandbox }]

/** In which sandbox an answer was given; undefined: in none. */
export const sandboxOf = ([, , where]: QueryKey) => (where as Where | undefined)?.sandbox

/** Whether a key is of one of these endpoints, or of one whose id begins like this. */
export const isOneOf = ([id]: QueryKey, beginnings: Iterable<IdBeginning>) =>
  [...beginnings].some((beginning) => `${id}.`.startsWith(`${beginning}.`))

/**
 * Has what fits read again. What is just being read for the first time was asked for before something happened; the library would take
 * that answer for the new one, so it is asked for once more when it is there.
 */
export async function refetchMatching(queries: QueryClient, isMeant: (query: Query) => boolean) {
  const first = new Set(
    queries.getQueryCache().findAll({
      predicate: (query) => query.state.data === undefined && isMeant(query),
      fetchStatus: 'fetching',
    }),
  )
  await queries.invalidateQueries({ predicate: isMeant })
  if (first.size > 0) await queries.invalidateQueries({ predicate: (query) => first.has(query) })
}

/** Of all that a query can do, what is done here: a type of its own, since checking every call against all of it takes seconds. */
interface Options<Answer> extends Where {
  readonly enabled?: boolean
  readonly staleTime?: number
  readonly placeholderData?: typeof keepPreviousData
  readonly refetchInterval?: (query: { readonly state: { readonly data: Answer | undefined } }) => number | false
}

/** What an endpoint answers, kept fresh for as long as it is shown: `useCall('contacts.get', { idOrEmail })`. */
export function useCall<Id extends EndpointId>(
  id: Id,
  input: Input<Id>,
  { sandbox, ...options }: Options<Reply<Id>> = {},
): UseQueryResult<Reply<Id>> {
  const queryFn = (): Promise<unknown> => call(id, input, { sandbox })
  const result = useQuery({ ...(options as Options<unknown>), queryKey: keyOf(id, input, sandbox), queryFn })
  return keepShown(result) as UseQueryResult<Reply<Id>>
}

/** What was read stays on the page when reading it again fails for a while: the banner says that the service is away. */
const keepShown = (result: UseQueryResult<unknown>) =>
  result.isError && result.data !== undefined && isPassing(result.error)
    ? { ...result, status: 'success', isSuccess: true, isError: false, isRefetchError: false, error: null }
    : result
