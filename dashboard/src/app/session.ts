import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Installation } from '../../../src/gateways/dashboard/installation.ts'
import type { VisitorDescription } from '../../../src/gateways/dashboard/visitor.ts'
import { ApiProblem, sendJson } from '../api.ts'
import { chooseTeam, chosenTeam } from '../chosen-team.ts'
import { isPassing, problemText } from '../problems.ts'
import { texts } from './texts.ts'

/** Of the dashboard alone, and so no endpoint of the API. */
const ADDRESS = '/dashboard/session'

export interface Session extends VisitorDescription {
  readonly installation: Installation
}

/** “as ada@example.com”, “with the key First key”. */
export const whoIs = ({ user, key }: Session) =>
  user ? texts.actor.user(user.name || user.email) : texts.actor.key(key?.name ?? '')

/** Null: nobody is signed in. */
export const useSession = () => useQuery({ queryKey: ['session'], queryFn: readSession, staleTime: 60_000 })

async function readSession(): Promise<Session | null> {
  await spendLink()
  try {
    return stayWith(await sendJson<Session>('GET', ADDRESS))
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) return null
    throw error
  }
}

/**
 * From now on this page names its team, and another page that chooses another one changes nothing here. Whoever has lost the team that it
 * showed begins anew with another of theirs.
 */
function stayWith(session: Session): Session {
  const [shown, team] = [chosenTeam(), (session.user && session.team?.id) ?? null]
  if (shown === team) return session
  chooseTeam(team)
  if (shown !== null) location.assign('/dashboard')
  return session
}

/** For sign-in forms: signs in, and opens the page that was asked for. Returns whether it did. */
export function useEntering() {
  const queries = useQueryClient()
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const enter = async (open: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setError(null)
    try {
      await open()
      // Whoever was here before may have looked at a team of their own.
      chooseTeam(null)
      await queries.resetQueries()
      return true
    } catch (reason) {
      setError(problemText(reason as Error))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { enter, error, isBusy }
}

export const signIn = (key: string) => sendJson('POST', ADDRESS, { key })
export const signOut = () => sendJson('DELETE', ADDRESS)

/** The address that the start has printed carries a code for one use; it leaves the address bar at once. */
async function spendLink() {
  const url = new URL(location.href)
  const link = url.searchParams.get('link')
  if (link === null) return
  url.searchParams.delete('link')
  history.replaceState(history.state, '', url)
  // Used before: whoever is signed in still is, and everybody else sees the sign-in page.
  await sendJson('POST', ADDRESS, { link }).catch((error: Error) => {
    isLinkRefused = !isPassing(error)
  })
}

let isLinkRefused = false

/** Whether this page was opened with a link that had been used, or whose time was over. */
export const wasLinkRefused = () => isLinkRefused
