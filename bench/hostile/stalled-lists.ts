import { once, setMaxListeners } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { repeat } from './repeat.ts'

const READERS = 200
const AGAIN_MS = 1_000

/** Asks for whole lists and does not read them. */
export const attack: Attack = {
  name: 'lists that nobody reads',
  async run({ url, token }, signal) {
    setMaxListeners(0, signal)
    await repeat(READERS, signal, async () => {
      const asked = get(`${url}/contacts`, { agent: false, headers: { authorization: `Bearer ${token}` }, signal })
      asked.on('error', () => {})
      const [answer] = (await once(asked, 'response', { signal })) as [IncomingMessage]
      answer.on('error', () => {})
      if (answer.statusCode === 200) await once(answer, 'close', { signal })
      else asked.destroy()
      await delay(AGAIN_MS, undefined, { signal })
    })
  },
}
