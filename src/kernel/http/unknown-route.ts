import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { groupBy } from '../../platform/group-by.ts'
import type { Endpoint } from './endpoint.ts'
import { Problem } from './problem.ts'

/** `GET /emails/batch` is not the email with the id `batch`: what a path has by name is not looked for under its pattern. */
export function refuseShadowed(app: FastifyInstance, endpoints: readonly Endpoint[]) {
  // What ends in a parameter is a pattern itself, and only what begins alike and is as deep can be the same path.
  const alike = groupBy(endpoints, ({ path }) => beginningOf(path))
  const named = endpoints.filter(({ path }) => !/:\w+$/.test(path))
  for (const url of new Set(named.map(({ path }) => path))) {
    const there = alike.get(beginningOf(url))!.filter((endpoint) => isAt(endpoint, url))
    const own = closest(there).map(({ method }) => method)
    const shadowed = there.map(({ method }) => method)
    const method = [...new Set(shadowed)].filter((one) => !own.includes(one))
    if (method.length > 0)
      app.route({
        method,
        url,
        onRequest: async (request, reply) => refuseUnknown(endpoints, request, reply),
        handler: async () => {},
      })
  }
}

/** Nobody answers this method at this path; perhaps somebody answers another. */
export function refuseUnknown(endpoints: readonly Endpoint[], request: FastifyRequest, reply: FastifyReply): never {
  const path = pathOf(request)
  const there = closest(endpoints.filter((endpoint) => isAt(endpoint, path)))
  if (there.length === 0) throw new Problem('not_found', 'The requested endpoint does not exist.')
  const methods = there.map(({ method }) => method).join(', ')
  reply.header('allow', methods)
  throw new Problem('method_not_allowed', `Method not allowed. This endpoint supports ${methods}.`)
}

/** Of those that are at one path the ones that name most of it. */
function closest(endpoints: readonly Endpoint[]): Endpoint[] {
  const fewest = Math.min(...endpoints.map(parametersOf))
  return endpoints.filter((endpoint) => parametersOf(endpoint) === fewest)
}

/** The first piece, which is always a name, and how many there are. */
function beginningOf(path: string): string {
  const pieces = path.split('/')
  return `${pieces[1]} ${pieces.length}`
}

const parametersOf = ({ path }: Endpoint) => path.split(':').length - 1

const isAt = ({ path, alias }: Endpoint, asked: string) => asked === alias || patternOf(path).test(asked)

/** Each start compares paths with each other, and each request that nobody answers with all of them: to compile their patterns anew took 6 ms of a warm start, 20 of a cold one. */
const patterns = new Map<string, RegExp>()

function patternOf(path: string): RegExp {
  const pattern = patterns.get(path) ?? new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`)
  patterns.set(path, pattern)
  return pattern
}

export const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0]!.replace(/(?<=.)\/$/, '')
