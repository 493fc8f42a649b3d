import { type Config, isLoopback, unknownSettings } from '../../platform/config.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

export function checkSettings({ config, environment }: CheckInput): Finding[] {
  const unknown = unknownSettings(environment).map((name) =>
    warning('settings', `${name} is not a setting; see docs/configuration.md.`),
  )
  return [
    fine('settings', `Settings are valid. Roles: ${config.ROLES.join(', ')}.`),
    ...unknown,
    ...checkOpenness(config),
  ]
}

function* checkOpenness({ HOST, API_KEY, PUBLIC_URL, METRICS_PORT, METRICS_TOKEN }: Config): Generator<Finding> {
  if (isLoopback(HOST)) return
  if (API_KEY !== undefined && API_KEY.length < 20)
    yield fault(
      'settings',
      'POSTWREN_API_KEY is easy to guess and the API listens beyond this machine: make it longer.',
    )
  if (!PUBLIC_URL) yield warning('settings', 'POSTWREN_PUBLIC_URL is unset: links in mails will point to localhost.')
  if (METRICS_PORT === undefined && !METRICS_TOKEN)
    yield warning('settings', 'The metrics are not served: set POSTWREN_METRICS_TOKEN or POSTWREN_METRICS_PORT.')
}
