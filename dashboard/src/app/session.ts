import { useQuery } from '@tanstack/react-query'
import { ApiProblem, api } from '../api.ts'

export interface Session {
  readonly team: string
  readonly key: { readonly id: string; readonly name: string }
  readonly expires_at: string
  readonly installation: {
    readonly version: string
    readonly node: string
    readonly platform: string
    readonly roles: readonly string[]
    readonly delivery: 'inbox' | 'relay' | 'direct'
    /** Mail and webhooks wait. */
    readonly is_held: boolean
    readonly relay: string | null
    readonly database: 'embedded' | 'yours'
    /** On the machine of the service. */
    readonly api_key_file: string | null
    readonly attachments: string
    readonly smtp_port: number
    readonly public_url: string | null
    readonly host_name: string
    readonly log_retention_days: number
    readonly event_retention_days: number
  }
}

/** Null: nobody is signed in. */
export const useSession = () => useQuery({ queryKey: ['session'], queryFn: readSession, staleTime: 60_000 })

async function readSession(): Promise<Session | null> {
  await spendLink()
  try {
    return await api.get<Session>('/dashboard/session')
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) return null
    throw error
  }
}

export const signIn = (key: string) => api.post('/dashboard/session', { key })
export const signOut = () => api.delete('/dashboard/session')

/** The address that the start has printed carries a code for one use; it leaves the address bar at once. */
async function spendLink() {
  const url = new URL(location.href)
  const link = url.searchParams.get('link')
  if (link === null) return
  url.searchParams.delete('link')
  history.replaceState(history.state, '', url)
  // Used before: whoever is signed in still is, and everybody else sees the door.
  await api.post('/dashboard/session', { link }).catch(() => {})
}
