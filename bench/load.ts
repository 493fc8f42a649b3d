import { once } from 'node:events'
import { Agent, get, type IncomingMessage, request as startRequest } from 'node:http'
import autocannon from 'autocannon'
import { Agent as Dispatcher, request } from 'undici'
import { AUTHORIZATION } from './service.ts'

/** Requests a second that are answered well, with so many connections kept busy. */
export async function requestRate(url: string, load: { connections: number; seconds: number }): Promise<number> {
  const result = await autocannon({
    url,
    connections: load.connections,
    duration: load.seconds,
    // Ten samples a second instead of the thousand that it takes by default: they are work on the cores that we measure.
    sampleInt: 100,
    headers: AUTHORIZATION,
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} bad answers and ${result.errors} broken connections from ${url}`)
  return result['2xx'] / result.duration
}

/** Asks this many times, for nothing but to have the code compiled that is going to be measured. */
export async function warmUp(url: string, load: { connections: number; amount: number }) {
  await autocannon({ url, ...load, duration: 0, sampleInt: 100, headers: AUTHORIZATION })
}

const post = (email: object, key?: string) => ({
  method: 'POST',
  headers: { ...(key ? { authorization: `Bearer ${key}` } : AUTHORIZATION), 'content-type': 'application/json' },
  body: JSON.stringify(email),
})

/** Emails a second that are accepted, with so many connections kept busy. */
export async function postRate(
  url: string,
  email: object,
  load: { connections: number; seconds: number },
): Promise<number> {
  const result = await autocannon({
    url,
    ...post(email),
    connections: load.connections,
    duration: load.seconds,
    sampleInt: 100,
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} bad answers from ${url}`)
  return result['2xx'] / result.duration
}

const MAX_ANSWER_SECONDS = 60

/** Posts this many, and no more. */
export async function postMany(
  url: string,
  email: object,
  { connections, amount, key }: { connections: number; amount: number; key?: string },
) {
  const pace = { connections, amount, duration: 0, timeout: MAX_ANSWER_SECONDS, sampleInt: 100 }
  const result = await autocannon({ url, ...post(email, key), ...pace })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} bad answers and ${result.errors} broken connections from ${url}`)
}

/**
 * Posts one over a connection that stays open, and waits for the answer. A load generator takes longer to begin than the request itself: its
 * histograms alone are megabytes.
 */
export async function postOne(url: string, email: object) {
  const { body, ...rest } = post(email)
  const request = startRequest(url, { agent, ...rest })
  request.end(body)
  const [reply] = (await once(request, 'response')) as [IncomingMessage]
  for await (const _chunk of reply);
  if (reply.statusCode !== 200) throw new Error(`${reply.statusCode} from ${url}`)
}

/** Posts this many, each with a body of its own. */
export async function postEach(
  url: string,
  { connections, amount }: { connections: number; amount: number },
  bodyOf: (number: number) => object,
) {
  const dispatcher = new Dispatcher({ connections, pipelining: 1 })
  let next = 0
  const work = Array.from({ length: connections }, async () => {
    while (next < amount) {
      const answer = await request(url, { dispatcher, ...post(bodyOf(next++)), method: 'POST' })
      if (answer.statusCode >= 300) throw new Error(`${answer.statusCode} from ${url}: ${await answer.body.text()}`)
      await answer.body.dump()
    }
  })
  await Promise.all(work)
  await dispatcher.close()
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Reads an answer and throws it away. */
export async function readOnce(url: string): Promise<{ bytes: number; milliseconds: number }> {
  const begin = performance.now()
  const reply = await new Promise<IncomingMessage>((resolve, reject) =>
    get(url, { agent, headers: AUTHORIZATION }, resolve).once('error', reject),
  )
  if (reply.statusCode !== 200) throw new Error(`${reply.statusCode} from ${url}`)
  let bytes = 0
  for await (const chunk of reply) bytes += (chunk as Buffer).length
  return { bytes, milliseconds: performance.now() - begin }
}
