import { setTimeout as delay } from 'node:timers/promises'
import { Changes } from './changes.ts'
import { call } from './service.ts'

export interface Writers {
  /** The address of each contact that was acknowledged, and the id it was acknowledged with. */
  readonly acknowledged: Map<string, string>
  /** Every answer that was not an acknowledgement. */
  readonly refusals: { status: number; body: unknown }[]
  /** Waits until so many more are acknowledged. */
  acknowledge(count: number): Promise<void>
  stop(): Promise<void>
}

/** Writes contacts over several connections, one after the other on each, wherever the service is at the moment. */
export function startWriters(connections: number, service: () => { url: string; token: string }): Writers {
  const acknowledged = new Map<string, string>()
  const changes = new Changes()
  const refusals: { status: number; body: unknown }[] = []
  let isStopping = false

  async function write(connection: number) {
    for (let number = 0; !isStopping; number++) {
      const email = `c${connection}-${number}@example.com`
      try {
        const { status, body } = await call(service(), 'POST', '/contacts', { email })
        if (status === 201) {
          acknowledged.set(email, body.id)
          changes.notify()
          continue
        }
        refusals.push({ status, body })
      } catch {
        // no answer at all: the process is gone
      }
      // Nobody is helped by a client that hammers a service that is not well.
      await delay(5)
    }
  }

  const writing = Promise.all(Array.from({ length: connections }, (_, connection) => write(connection)))
  return {
    acknowledged,
    refusals,
    acknowledge(count) {
      const goal = acknowledged.size + count
      return changes.until(() => acknowledged.size >= goal, 30_000)
    },
    async stop() {
      isStopping = true
      await writing
    },
  }
}
