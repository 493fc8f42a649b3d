import { Changes } from './changes.ts'
import { call, type Service } from './service.ts'

const CONNECTIONS = 4

/** Sends one email after the other over several connections, wherever the service is, and remembers what was accepted. */
export function startSending(service: () => Service) {
  const accepted = new Set<string>()
  const changes = new Changes()
  let isStopping = false
  const work = Array.from({ length: CONNECTIONS }, async (_, connection) => {
    for (let number = 0; !isStopping; number++) {
      const to = `c${connection}-${number}@sink.dev`
      const body = { from: 'a@acme.dev', to, subject: 'Hello', text: 'Hello' }
      const reply = await call(service(), 'POST', '/emails', body).catch(() => null)
      if (reply?.status === 200) accepted.add(to)
      changes.notify()
    }
  })
  return {
    accepted,
    async accept(count: number) {
      const goal = accepted.size + count
      await changes.until(() => accepted.size >= goal, 60_000)
    },
    async stop() {
      isStopping = true
      await Promise.all(work)
    },
  }
}
