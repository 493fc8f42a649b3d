import { ENDPOINTS } from '../../../features/index.ts'
import { isUuid } from './fields.ts'
import { maskedRoute } from './routes.ts'

/** What an installation has for itself and its people, and what exists for tests: no application calls it at the upstream. */
const NOT_MIRRORED = new Set([
  ...['account', 'audit-events', 'clock', 'invitations', 'members', 'messages', 'oauth', 'operator', 'sandboxes'],
  ...['scenario', 'team', 'teams', 'editor'],
])

const OPERATIONS = ENDPOINTS.filter(({ id }) => !NOT_MIRRORED.has(id.split('.')[0]!))
  .map(({ id, method, path, alias }) => ({
    id,
    method,
    name: `${method} ${path.replace(/:\w+/g, ':id')}`,
    patterns: [path, ...(alias ? [alias] : [])].map(patternOf),
    variables: path.split(':').length,
  }))
  // What has a path by name comes before those who have a pattern for it.
  .sort((a, b) => a.variables - b.variables)

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replace(/:\w+/g, '[^/]+')}/?$`)
}

export interface Operation {
  /** `GET /emails/:id`, for people. */
  readonly name: string
  /** `emails.get`; empty: our side has no such operation. */
  readonly id: string
  /** Whether our side has it, and may be asked. */
  readonly isOurs: boolean
  /** Whether the call names its object by something else than an id. */
  readonly isByName: boolean
}

export function operationOf(method: string, path: string): Operation {
  const pathname = path.split(/[?#]/, 1)[0]!.replace(/^\/+/, '/')
  const asked = method === 'HEAD' ? 'GET' : method
  const found = OPERATIONS.find((one) => one.method === asked && one.patterns.some((pattern) => pattern.test(pathname)))
  const segments = pathname.split('/')
  if (found) return { ...found, isOurs: true, isByName: !isUuid(segments.at(-1)) && segments.length > 2 }
  return { name: maskedRoute(method, path), id: '', isOurs: false, isByName: false }
}
