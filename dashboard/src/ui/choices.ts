import { useCall } from '../queries.ts'

/** Things by name, for a select: as many as somebody would look through. */
export function useChoices(list: 'domains.list' | 'segments.list' | 'topics.list') {
  const { data } = useCall(list, { limit: 100 })
  return (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
}
