import { sourceTrouble } from '../../mail/sources/sources.ts'
import type { Config } from './config.ts'
import { SettingError } from './settings.ts'

/** The settings that say how mail leaves fit together. */
export function requireWaysOut({ DELIVERY, RELAY_URL, ROUTES, SOURCES, SOURCE_ADDRESS, CEILINGS }: Config) {
  if (DELIVERY === 'relay' && !RELAY_URL && !ROUTES)
    throw new SettingError('POSTWREN_RELAY_URL is needed when POSTWREN_DELIVERY is `relay`.')
  // What direct delivery needs besides, as the policies of domains, goes by the mode.
  if (DELIVERY === 'relay' && ROUTES?.routes.some(({ kind }) => kind === 'direct'))
    throw new SettingError('POSTWREN_DELIVERY must be `direct` when POSTWREN_ROUTES has a route of that kind.')
  if (SOURCES && (SOURCE_ADDRESS.v4 ?? SOURCE_ADDRESS.v6) !== undefined)
    throw new SettingError('POSTWREN_SOURCE_ADDRESS must not be set beside POSTWREN_SOURCES.')
  for (const { scope, whereIs } of CEILINGS) {
    const trouble = sourceTrouble(scope.source, SOURCES)
    if (trouble) throw new SettingError(`POSTWREN_CEILINGS has a mistake in ${whereIs('source')}: ${trouble}.`)
  }
}
