import type { Endpoint } from '../../src/http/endpoint.ts'
import type { Client, Reply } from './app.ts'
import { domainNamed, freshName } from './domains.ts'
import { formOf } from './form.ts'
import { sampleOf } from './sample.ts'
import type { World } from './world.ts'

// Requests to endpoints that the test does not know: made from what the endpoint says about itself.

/** The path with an id of the world for each parameter; `otherwise` replaces some of them. */
export function pathOf(endpoint: Endpoint, world: World, otherwise: Readonly<Record<string, string>> = {}): string {
  return endpoint.path.replace(/([^/]+)\/:(\w+)/g, (_match, word: string, parameter: string) => {
    const id = otherwise[parameter] ?? world[word]
    if (id === undefined) throw new Error(`${endpoint.id}: makeWorld makes nothing for /${word}/:${parameter} yet`)
    return `${word}/${id}`
  })
}

/** Each parameter of the path, with the word before it. */
export const parametersOf = ({ path }: Endpoint) =>
  [...path.matchAll(/([^/]+)\/:(\w+)/g)].map(([, word, parameter]) => ({ word: word!, parameter: parameter! }))

/** Bodies that their schema alone does not tell. */
const BODIES: Record<string, (world: World) => unknown> = {
  'domains.create': () => domainNamed(freshName()),
  'domains.claims.create': (world) => domainNamed(world['domain of a neighbour']!),
  'contacts.topics.update': ({ topics }) => [{ id: topics, subscription: 'opt_out' }],
  'suppressions.batch.remove': ({ suppressions }) => ({ ids: [suppressions] }),
}

/** The least that the endpoint takes. */
export const bodyOf = ({ id, body }: Endpoint, world: World): unknown =>
  BODIES[id]?.(world) ?? (body && sampleOf(body, world, 'required'))

export async function call(client: Client, endpoint: Endpoint, url: string, body: unknown): Promise<Reply> {
  if (endpoint.upload) return client.send({ ...(await importRequest()), url })
  return client.send({ method: endpoint.method, url, ...(body !== undefined && { payload: body as object }) })
}

export const importRequest = async () =>
  ({ method: 'POST', url: '/contacts/imports', ...(await formOf({ file: 'email\nada@example.com\n' })) }) as const

/** `200`, or `404 not_found`. */
export const answerOf = ({ status, body }: Reply) => (status < 300 ? String(status) : `${status} ${body.name}`)
