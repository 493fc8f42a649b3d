import type { EndpointId } from '../api.ts'
import { ACCESS } from '../endpoints.ts'
import { useSession } from './session.ts'

/** Whether whoever is signed in may call an endpoint: `const may = useMay()`, `may('topics.create') && <Button …>`. The server decides anyway. */
export function useMay(): (id: EndpointId) => boolean {
  const { data: session } = useSession()
  const access = new Set<string>(session?.access)
  return (id) => access.has(ACCESS[id])
}
