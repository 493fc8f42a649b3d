import { type Config, isLoopback } from '../../../platform/settings/config.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

export function checkSettings({ config }: CheckInput): Finding[] {
  return [
    fine('settings', `Settings are valid. Roles: ${config.ROLES.join(', ')}.`),
    ...checkHold(config),
    ...checkPublicUrl(config),
    ...checkOpenness(config),
  ]
}

/** Whoever wonders why nothing leaves looks here first. */
function* checkHold({ HOLD }: Config): Generator<Finding> {
  if (HOLD !== 'on') return
  yield warning('settings', 'POSTWREN_HOLD is on: mail and events are accepted but not sent until a start with `off`.')
}

/** Paths of the API, the dashboard, cookies and OAuth begin at the root of a host. */
function* checkPublicUrl({ PUBLIC_URL }: Config): Generator<Finding> {
  if (PUBLIC_URL === undefined) return
  const { pathname, search, hash, origin } = new URL(PUBLIC_URL)
  if (pathname === '/' && search === '' && hash === '') return
  yield warning(
    'settings',
    `POSTWREN_PUBLIC_URL goes beyond its host (${pathname}${search && '?…'}${hash && '#…'}): Postwren answers at the root of a host, and the dashboard and sign-in do not work below a path. Give it a host of its own, like ${origin}.`,
  )
}

function* checkOpenness({ HOST, API_KEY, PUBLIC_URL, METRICS_PORT, METRICS_TOKEN }: Config): Generator<Finding> {
  if (isLoopback(HOST)) return
  if (API_KEY !== undefined && API_KEY.length < 20)
    yield fault('settings', 'POSTWREN_API_KEY is short and the API listens beyond this machine: use a longer key.')
  if (!PUBLIC_URL) yield warning('settings', 'POSTWREN_PUBLIC_URL is unset: links in mails will point to localhost.')
  if (METRICS_PORT === undefined && !METRICS_TOKEN)
    yield warning('settings', 'Metrics are not served: set POSTWREN_METRICS_TOKEN or POSTWREN_METRICS_PORT.')
}
