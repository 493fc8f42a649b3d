export const HOME = '/dashboard'

/** What fits into a cookie, with the rest. */
const MAX_PATH = 2_000
const BASE = 'http://ours.invalid'

/** Where somebody wanted to go before they had to sign in, if that is a page of ours; the first page otherwise. */
export function ownPath(path: unknown): string {
  if (typeof path !== 'string' || path.length > MAX_PATH || !path.startsWith(HOME) || !URL.canParse(path, BASE))
    return HOME
  const { origin, pathname, search } = new URL(path, BASE)
  return origin === BASE && /^\/dashboard(?:\/|$)/.test(pathname) ? `${pathname}${search}` : HOME
}
