// Whoever has to sign in before they can answer a program may come back on another way: by a link in a mail, in another tab.
const NAME = 'postwren-authorize'
/** As long as a request is good. */
const TTL_MS = 10 * 60_000

/** Notes that this page was asked for, and could not be shown yet. */
export const storePendingAuthorization = (search: string) =>
  localStorage.setItem(NAME, JSON.stringify({ search, until: Date.now() + TTL_MS }))

/** The page that was asked for before, once. */
export function takePendingAuthorization(): string | null {
  const stored = localStorage.getItem(NAME)
  localStorage.removeItem(NAME)
  if (stored === null) return null
  const { search, until } = JSON.parse(stored) as { search: string; until: number }
  return until > Date.now() ? search : null
}
