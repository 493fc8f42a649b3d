import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Authenticator, type Caller, requireAccess } from '../http/auth.ts'
import { Problem } from '../http/problem.ts'
import type { Clock } from '../platform/clock.ts'
import { type Config, isLoopback } from '../platform/config.ts'
import type { Database } from '../platform/db/database.ts'
import type { Log } from '../platform/log.ts'
import { DashboardFiles } from './files.ts'
import { FRAME_FORM_TYPE, MAX_FRAME_BYTES, sendFrame } from './frame.ts'
import { installationOf } from './installation.ts'
import { Live } from './live.ts'
import { momentIn, type ReadSchedule } from './moment.ts'
import { OneTimeLink } from './one-time-link.ts'
import { describeSession, findFirstKey } from './queries.ts'
import { isFromOurPage, isOurOrigin } from './same-origin.ts'
import type { Sessions } from './sessions.ts'

export interface DashboardParts {
  readonly db: Database
  readonly config: Config
  readonly log: Log
  readonly version: string
  readonly authenticator: Authenticator
  readonly sessions: Sessions
  readonly clock: Clock
  readonly readSchedule: ReadSchedule
}

export interface Dashboard {
  /** The query of an address that signs in once; null where the machine may be anybody's. */
  makeLink(): string | null
}

/**
 * The dashboard: a program that runs in the browser and talks to the public API like any other client. What it needs besides is
 * here: its files, a session instead of a key, what happens as it happens, a frame for mails with remote pictures, and when a text is in the zone of its reader.
 */
export function addDashboard(app: FastifyInstance, parts: DashboardParts): Dashboard {
  const files = new DashboardFiles()
  const link = new OneTimeLink()
  app.get('/dashboard', (request, reply) => files.send('index.html', request, reply))
  app.get<{ Params: { '*': string } }>('/dashboard/*', (request, reply) =>
    files.send(request.params['*'], request, reply),
  )
  addSessionRoutes(app, parts, link)
  addLive(app, parts)
  addFrame(app, parts)
  addMoment(app, parts)
  return { makeLink: () => (isLaptop(parts.config) ? `?link=${link.make()}` : null) }
}

/** Whoever can reach this port and read this terminal is the one whose machine it is. */
const isLaptop = ({ HOST, DATABASE_URL }: Config) => isLoopback(HOST) && DATABASE_URL === undefined

function addSessionRoutes(app: FastifyInstance, parts: DashboardParts, link: OneTimeLink) {
  const { db, config, sessions, version } = parts
  app.post('/dashboard/session', async (request, reply) => {
    requireOurPage(request, config)
    const caller = await callerOf(parts, link, request)
    reply.header('set-cookie', await sessions.open(caller))
    return { object: 'session' }
  })
  app.get('/dashboard/session', async (request) => {
    requireOurPage(request, config)
    const caller = await sessions.require(request.headers)
    const session = await describeSession(db, caller.team, caller.sessionId!)
    if (!session) throw new Problem('missing_api_key', 'Your session has ended.')
    return {
      object: 'session',
      team: session.team,
      key: { id: session.keyId, name: session.keyName },
      expires_at: session.expiresAt.toISOString(),
      installation: installationOf(config, version),
    }
  })
  app.delete('/dashboard/session', async (request, reply) => {
    requireOurPage(request, config)
    reply.header('set-cookie', await sessions.end(await sessions.require(request.headers)))
    return { object: 'session', deleted: true }
  })
}

function requireOurPage(request: FastifyRequest, config: Config) {
  if (!isFromOurPage(request, config)) throw new Problem('sender_not_allowed', 'This is for the dashboard only.')
}

/** Somebody who has a key with full access, or the link that this start has printed. */
async function callerOf(
  { db, authenticator }: DashboardParts,
  link: OneTimeLink,
  { body, ip }: FastifyRequest,
): Promise<Caller> {
  const given = body as { key?: unknown; link?: unknown } | undefined
  if (typeof given?.link === 'string') {
    const caller = link.use(given.link) ? await findFirstKey(db) : null
    if (caller) return caller
    throw new Problem('invalid_api_key', 'This link was used before, or it is of an earlier start.')
  }
  if (typeof given?.key !== 'string' || given.key.trim() === '')
    throw new Problem('missing_required_field', 'Missing `key` field.')
  const caller = await authenticator.identify(`Bearer ${given.key.trim()}`, ip)
  requireAccess(caller, 'full_access')
  return caller
}

function addLive(app: FastifyInstance, { db, log, sessions }: DashboardParts) {
  const live = new Live(db, log)
  app.addHook('preClose', async () => live.close())
  app.get('/dashboard/live', async (request, reply) => {
    // An EventSource sends no header of ours. It cannot change anything, and no other page may read what it is told.
    const caller = await sessions.require(request.headers)
    const { team, sessionId: session = '' } = caller
    const room = live.makeRoomFor({ team, session })
    if (room === 'team is full') throw new Problem('rate_limit_exceeded', 'Too many dashboards of your team are open.')
    if (room === 'full') throw new Problem('service_unavailable', 'Too many dashboards are open.')
    const { headers } = request
    reply.hijack()
    await live.add(
      {
        team,
        session,
        response: reply.raw,
        isWelcome: () =>
          sessions.require(headers).then(
            () => true,
            (error) => !(error instanceof Problem),
          ),
      },
      headers['last-event-id'] as string | undefined,
    )
  })
}

function addFrame(app: FastifyInstance, { config, sessions }: DashboardParts) {
  app.post(
    '/dashboard/frame',
    {
      bodyLimit: MAX_FRAME_BYTES,
      // Before the body is read: it is larger than what anybody may send whom we do not know.
      async onRequest(request) {
        request.exchange.caller = await sessions.require(request.headers)
        if (!isOurOrigin(request.headers, config.PUBLIC_URL))
          throw new Problem('sender_not_allowed', 'This is for the dashboard only.')
        if (!request.headers['content-type']?.startsWith(FRAME_FORM_TYPE))
          throw new Problem('unsupported_content_type', `Send a form as \`${FRAME_FORM_TYPE}\`.`)
      },
    },
    async (request, reply) => sendFrame(reply, String(request.body ?? '')),
  )
}

/** What a time in words will be, so that it is seen before it is saved. */
function addMoment(app: FastifyInstance, { config, sessions, clock, readSchedule }: DashboardParts) {
  app.get('/dashboard/moment', async (request) => {
    requireOurPage(request, config)
    await sessions.require(request.headers)
    const { text, zone } = request.query as Readonly<Record<string, unknown>>
    if (typeof text !== 'string' || typeof zone !== 'string')
      throw new Problem('invalid_parameter', 'Give a `text` and a `zone`.')
    return { object: 'moment', at: momentIn(zone, text, clock.now(), readSchedule).toISOString() }
  })
}
