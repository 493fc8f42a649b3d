import { once, setMaxListeners } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { connections, repeat } from './repeat.ts'

const WEBHOOKS = 200
const ANSWER_MS = 5_000
const SENDERS = 4

/** Endpoints that answer just in time to be given more, and an event for each of them again and again. */
export const attack: Attack = {
  name: 'slow webhooks',
  async run({ url, token }, signal) {
    setMaxListeners(0, signal)
    const server = createServer((incoming, answer) => {
      incoming.resume()
      delay(ANSWER_MS, undefined, { signal }).then(
        () => answer.end('ok'),
        () => answer.destroy(),
      )
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const call = connections(SENDERS, signal)
    const body = JSON.stringify({ endpoint, events: ['topic.created'] })
    const made: string[] = []
    for (let n = 0; n < WEBHOOKS && !signal.aborted; n++)
      await call(`${url}/webhooks`, { method: 'POST', token, body }).then(
        (text) => made.push(JSON.parse(text).id),
        () => {},
      )
    const topic = JSON.stringify({ name: 'News', default_subscription: 'opt_in' })
    await repeat(SENDERS, signal, () => call(`${url}/topics`, { method: 'POST', token, body: topic }))
    server.closeAllConnections()
    server.close()
    // What comes after it is measured for itself.
    const remove = connections(SENDERS, new AbortController().signal)
    await Promise.all(made.map((id) => remove(`${url}/webhooks/${id}`, { method: 'DELETE', token }).catch(() => {})))
  },
}
