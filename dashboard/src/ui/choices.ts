import { useQuery } from '@tanstack/react-query'
import { api, type ListReply } from '../api.ts'

interface Named {
  readonly id: string
  readonly name: string
}

/** Things by name, for a select: as many as somebody would look through. */
export function useChoices(path: string): readonly { value: string; label: string }[] {
  const { data } = useQuery({
    queryKey: [path.slice(1), 'choices'],
    queryFn: () => api.get<ListReply<Named>>(path, { limit: 100 }),
  })
  return (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
}
