import { sendJson } from './api.ts'

// The link in the mail of an invitation leads to any page of the dashboard with the token behind it. It is read once, when the program
// starts, and leaves the address bar at once.

const PARAMETER = 'invitation'

let token = takeToken()

function takeToken(): string | null {
  const url = new URL(location.href)
  const found = url.searchParams.get(PARAMETER)
  if (found === null) return null
  url.searchParams.delete(PARAMETER)
  history.replaceState(history.state, '', url)
  return found
}

/** Of the invitation that this page was opened with, until it is accepted or put aside. */
export const invitationToken = (): string | null => token

export function forgetInvitation() {
  token = null
}

export interface Invitation {
  readonly team: string
  readonly role: string
  /** Whom it was sent to. */
  readonly email: string
  readonly invited_by: string | null
}

/** What it is to. Refused when it was used before or has run out. */
export const describeInvitation = (wanted: string) =>
  sendJson<Invitation>('GET', `/dashboard/invitation?token=${encodeURIComponent(wanted)}`)
