/** A call by its route, where nothing more is known of it: an id or an address must not make another operation of each call. */
export function maskedRoute(method: string, path: string): string {
  const segments = path.split(/[?#]/, 1)[0]!.replace(/^\/+/, '/').slice(0, 200).split('/')
  const known = /^[a-z]{3,10}$/i.test(method) ? method : 'OTHER'
  return `${known} ${segments.map((segment) => (/^[a-z][a-z_-]{0,30}$/i.test(segment) || segment === '' ? segment : ':id')).join('/')}`
}
