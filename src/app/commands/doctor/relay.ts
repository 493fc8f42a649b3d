import { relayResolver } from '../../../features/emails/delivery/transport/destination-resolvers.ts'
import { systemClock } from '../../../platform/clock.ts'
import { hostName } from '../../../platform/settings/config.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

const STEP_MS = 4_000

/** Connects to the relay, encrypts and logs in, as delivery does before each mail. */
export async function checkRelay({ config }: CheckInput): Promise<Finding[]> {
  if (config.DELIVERY !== 'relay' || config.ROUTES) return []
  // Loaded only when there is one: it brings the SMTP client along.
  const { tryHost } = await import('../../../adapters/smtp-client/try-host.ts')
  const route = await relayResolver(config, systemClock).resolve('')
  if (route.kind === 'none') return [fault('relay', `${route.outcome.reply}. Is POSTWREN_RELAY_URL right?`)]
  const [host] = route.destination.hosts
  const result = await tryHost(host!, {
    heloName: hostName(config),
    sourceAddresses: config.SOURCE_ADDRESS,
    timeoutMs: STEP_MS,
  })
  const name = `${host!.host}:${host!.port}`
  if (result.kind === 'failed')
    return [fault('relay', `The relay cannot be used: ${result.reply}. Check POSTWREN_RELAY_URL.`)]
  const login = host!.auth ? `, logged in as ${host!.auth.user}` : ', without a login'
  if (!result.isEncrypted)
    return [warning('relay', `Relay: ${name} answers${login}, without encryption: it offers no TLS.`)]
  return [fine('relay', `Relay: ${name} answers, encrypted${login}.`)]
}
