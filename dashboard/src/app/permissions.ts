import { ENDPOINTS } from '../endpoints.ts'
import type { IsAllowed } from '../ui/allowed.tsx'
import { useSession } from './session.ts'

/** Whether whoever is signed in may call an endpoint: `const may = usePermissions()`, `may('topics.create') && <Button …>`. The server decides anyway. */
export function usePermissions(): IsAllowed {
  const { data: session } = useSession()
  const access = new Set<string>(session?.access)
  return (need) => access.has(need === 'full_keys' ? need : ENDPOINTS[need].access)
}
