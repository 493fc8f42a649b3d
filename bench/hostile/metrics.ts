import type { Attack } from './attack.ts'
import { connections, repeat } from './repeat.ts'

const CONNECTIONS = 50
const DAYS = 300

/** Questions about most of a year by the hour, all of which have to be added up. */
export const attack: Attack = {
  name: 'metrics',
  async run({ url, token }, signal) {
    const call = connections(CONNECTIONS, signal)
    const since = new Date(Date.now() - DAYS * 86_400_000).toISOString()
    const asked = `${url}/emails/metrics?start_date=${since}&granularity=hourly&dimensions=period`
    await repeat(CONNECTIONS, signal, () => call(asked, { token }))
  },
}
