import { benchEmail } from '../email.ts'
import type { Attack } from './attack.ts'
import { connections, repeat } from './repeat.ts'

const CONNECTIONS = 50
const EMAILS = 100

/** Batches of a hundred emails, half a megabyte each, as many at a time as there are connections. */
export const attack: Attack = {
  name: 'big batches',
  async run({ url, token }, signal) {
    const call = connections(CONNECTIONS, signal)
    const body = JSON.stringify(Array(EMAILS).fill(benchEmail('attacker@bench.dev')))
    await repeat(CONNECTIONS, signal, () => call(`${url}/emails/batch`, { method: 'POST', token, body }))
  },
}
