import type { Endpoint } from '../../src/kernel/http/endpoint.ts'
import { startApp } from './app.ts'
import { startMailServer } from './mail-server.ts'
import { operatorOf } from './operators.ts'
import { LOOPBACK_SOURCES, sourcesSetting } from './sources.ts'
import { type World, worldsIn } from './world.ts'

export const ANY_ID = '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f'

/** One in which everything has the same id, and nothing is there. */
export const anywhere: World = new Proxy({}, { get: () => ANY_ID })

/** Where nothing leaves there are no routes; where mail does, nobody sends from a domain that is not verified. */
const OF_ROUTES = ['operator.delivery.routes.hold', 'operator.delivery.routes.release']

/** For each endpoint a service, a caller and a world in which a good request is answered well. */
export async function worldsForAll() {
  const relay = await startMailServer()
  const settings = { POSTWREN_RELAY_URL: `smtp://127.0.0.1:${relay.port}` }
  const sources = sourcesSetting({ sources: LOOPBACK_SOURCES, warm_up_domains: true })
  const keeping = await startApp({ ...settings, ...sources })
  const leaving = await startApp({ ...settings, POSTWREN_DELIVERY: 'relay' })
  const inWorld = worldsIn(keeping)
  return async (endpoint: Endpoint) =>
    OF_ROUTES.includes(endpoint.id)
      ? { app: leaving, client: await operatorOf(leaving), world: anywhere }
      : { app: keeping, ...(await inWorld(endpoint)) }
}
