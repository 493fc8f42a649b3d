import { randomBytes } from 'node:crypto'
import type { Attack } from './attack.ts'
import { connections, repeat } from './repeat.ts'

const CONNECTIONS = 64

/** A key that is none, and another one each time. */
export const attack: Attack = {
  name: 'random API keys',
  async run({ url }, signal) {
    const call = connections(CONNECTIONS, signal)
    await repeat(CONNECTIONS, signal, () =>
      call(`${url}/emails`, { token: `re_${randomBytes(16).toString('hex')}` }).catch(() => {}),
    )
  },
}
