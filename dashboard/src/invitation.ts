import { useSyncExternalStore } from 'react'
import { sendJson } from './api.ts'

// The link in the mail of an invitation leads here with a token behind `#`. It leaves the address bar at once, and stays with the tab until
// it is used or put aside: whoever has an account signs in first, perhaps on a page of somebody else.

const NAME = 'invitation'
const listeners = new Set<() => void>()

function takeToken(): boolean {
  const [, token] = /^#invitation=([\w-]+)$/.exec(location.hash) ?? []
  if (token === undefined) return false
  history.replaceState(history.state, '', `${location.pathname}${location.search}`)
  sessionStorage.setItem(NAME, token)
  return true
}

takeToken()

/** The token of the invitation that this tab was opened with; null: of none. */
export const useInvitationToken = (): string | null =>
  useSyncExternalStore(subscribe, () => sessionStorage.getItem(NAME))

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function forgetInvitation() {
  sessionStorage.removeItem(NAME)
  for (const listener of listeners) listener()
}

// Who pastes the link into a tab that is open changes nothing but what is behind `#`.
addEventListener('hashchange', () => {
  if (takeToken()) for (const listener of listeners) listener()
})

export interface Invitation {
  readonly team: string
  readonly role: string
  /** Whom it was sent to, and who alone can accept it. */
  readonly email: string
  readonly invited_by: string | null
  /** They have an account, and sign in to it first. */
  readonly has_account: boolean
  /** They have a copied link and no account: a mail to the address proves that it is theirs. */
  readonly needs_confirmation: boolean
}

/** What it is to. Refused when it was used before or has run out. */
export const describeInvitation = (token: string) => sendJson<Invitation>('POST', '/dashboard/invitation', { token })

/** Mails the invitation to the address that it is for. */
export const confirmByEmail = (token: string) => sendJson('POST', '/dashboard/invitation/email', { token })
