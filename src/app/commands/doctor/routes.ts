import { systemClock } from '../../../platform/clock.ts'
import { hostName } from '../../../platform/settings/config.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

/** Connects to each way that POSTWREN_ROUTES names, encrypts and logs in, as delivery does; no mail is sent. */
export async function checkRoutes({ config }: CheckInput): Promise<Finding[]> {
  if (!config.ROUTES) return []
  if (config.DELIVERY === 'inbox')
    return [warning('routes', 'POSTWREN_ROUTES is not used: with POSTWREN_DELIVERY=inbox nothing leaves.')]
  // Loaded only when there are some: it brings the clients along.
  const { checkRoute } = await import('../../../features/emails/delivery/routes/check-route.ts')
  const parts = { clock: systemClock, heloName: hostName(config), sourceAddresses: config.SOURCE_ADDRESS }
  const findings = config.ROUTES.routes.map(async (route): Promise<Finding[]> => {
    if (route.kind === 'direct') return []
    const found = await checkRoute(route, parts)
    if (found.kind === 'faulty') return [fault('routes', `Route ${route.name} cannot be used: ${found.reply}.`)]
    if (!found.isEncrypted)
      return [warning('routes', `Route ${route.name}: ${found.host} answers, without encryption.`)]
    return [fine('routes', `Route ${route.name}: ${found.host} answers, encrypted.`)]
  })
  return (await Promise.all(findings)).flat()
}
