import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { InvitationMailServices } from '../../features/people/invitation-mail.ts'
import { ensureLocalOwner } from '../../features/people/local-owner.ts'
import { deleteUserSession } from '../../features/people/sessions.ts'
import { auditPerson, signIn } from '../../features/people/sign-in.ts'
import { type ActorOf, requirePermission } from '../../kernel/http/actor.ts'
import type { Authenticator } from '../../kernel/http/auth.ts'
import { Problem } from '../../kernel/http/problem.ts'
import type { Sandboxes } from '../../kernel/http/sandbox-path.ts'
import { isId } from '../../platform/ids.ts'
import type { LinkSigner } from '../../platform/links.ts'
import type { Log } from '../../platform/observability/log.ts'
import { type Config, isLoopback } from '../../platform/settings/config.ts'
import type { Siblings } from '../../platform/siblings.ts'
import { addConsent } from './consent.ts'
import { DashboardFiles } from './files.ts'
import { FRAME_FORM_TYPE, MAX_FRAME_BYTES, sendFrame } from './frame.ts'
import { installationOf } from './installation.ts'
import { addInvitation } from './invitation.ts'
import { Live } from './live.ts'
import { addOidcRoutes, type OidcParts } from './oidc-routes.ts'
import { OneTimeLink } from './one-time-link.ts'
import { deleteSession } from './queries.ts'
import { isOurOrigin, requireOurPage } from './same-origin.ts'
import type { Sessions, Visitor } from './sessions.ts'
import { addSignIn, enter, originOf, type SignInParts } from './sign-in.ts'
import { addTeamChoice } from './team-choice.ts'
import { addVerification } from './verify.ts'
import { describeVisitor } from './visitor.ts'

export interface DashboardParts extends SignInParts, OidcParts, InvitationMailServices {
  readonly log: Log
  readonly version: string
  readonly authenticator: Authenticator
  readonly links: LinkSigner
  readonly sandboxes: Sandboxes
  /** Null: no other process answers on the same port. */
  readonly siblings: Siblings | null
}

export interface Dashboard {
  /** The query of an address that signs in once; null where the machine may be anybody's. */
  makeLink(): string | null
}

/**
 * The dashboard: a program that runs in the browser and talks to the public API like any other client. What it needs besides is
 * here: its files, a session instead of a key, what happens as it happens, and a frame for mails with remote pictures.
 */
export function addDashboard(app: FastifyInstance, parts: DashboardParts): Dashboard {
  const files = new DashboardFiles()
  const link = new OneTimeLink(parts.siblings)
  app.get('/dashboard', (request, reply) => files.send('index.html', request, reply))
  app.get<{ Params: { '*': string } }>('/dashboard/*', (request, reply) =>
    files.send(request.params['*'], request, reply),
  )
  addSessionRoutes(app, parts, link)
  addSignIn(app, parts)
  addVerification(app, parts)
  addInvitation(app, parts)
  addTeamChoice(app, parts)
  addOidcRoutes(app, parts)
  addLive(app, parts)
  addFrame(app, parts)
  addConsent(app, parts)
  return { makeLink: () => (isLaptop(parts.config) ? `?link=${link.make()}` : null) }
}

/** Whoever can reach this port and read this terminal is the one whose machine it is. */
const isLaptop = ({ HOST, DATABASE_URL }: Config) => isLoopback(HOST) && DATABASE_URL === undefined

function addSessionRoutes(app: FastifyInstance, parts: DashboardParts, link: OneTimeLink) {
  const { db, config, sessions, version } = parts
  app.post('/dashboard/session', async (request, reply) => {
    requireOurPage(request, config)
    const { link: code } = (request.body ?? {}) as { link?: unknown }
    if (typeof code === 'string') {
      const owner = (await link.use(code)) ? await ensureLocalOwner(db) : null
      if (!owner)
        throw new Problem('invalid_sign_in_link', 'This link was already used, or it is from an earlier start.')
      return enter(parts, request, reply, (trx, origin) => signIn(trx, { ...owner, method: 'terminal', ...origin }))
    }
    reply.header('set-cookie', await openWithKey(parts, request))
    return { object: 'session' }
  })
  app.get('/dashboard/session', async (request) => {
    requireOurPage(request, config)
    const session = await describeVisitor(db, await findVisitor(sessions, request))
    if (!session) throw new Problem('missing_api_key', 'Your session has ended.')
    return { object: 'session', ...session, installation: installationOf(config, version) }
  })
  app.delete('/dashboard/session', async (request, reply) => {
    requireOurPage(request, config)
    const { team, identity } = await findVisitor(sessions, request)
    if (identity.kind === 'session') await deleteSession(db, team, identity.id)
    else await signOut(parts, request, identity)
    sessions.forget()
    reply.header('set-cookie', sessions.noCookie)
    return { object: 'session', deleted: true }
  })
}

const signOut = ({ db }: DashboardParts, request: FastifyRequest, { id, session }: ActorOf<'user'>['identity']) =>
  db.transaction(async (trx) => {
    await deleteUserSession(trx, id, session.id)
    await auditPerson(trx, id, { action: 'account.sign_out', objectId: session.id, origin: originOf(request) })
  })

/** A team that the page still names and the person has left is no reason to sign them out. */
const findVisitor = (sessions: Sessions, { headers }: FastifyRequest): Promise<Visitor> =>
  sessions.require(headers).catch((error) => {
    if (error instanceof Problem && error.kind === 'invalid_permission') return sessions.require(headers, null)
    throw error
  })

/** For whoever has a key with full access. Returns the cookie. */
async function openWithKey({ authenticator, sessions }: DashboardParts, { body, ip }: FastifyRequest): Promise<string> {
  const given = body as { key?: unknown } | undefined
  if (typeof given?.key !== 'string' || given.key.trim() === '')
    throw new Problem('missing_required_field', 'Missing `key` field.')
  const actor = await authenticator.identifyKey(given.key.trim(), ip)
  // A key that may not do everything does not open the dashboard.
  requirePermission(actor, 'write')
  return sessions.open({ team: actor.team, keyId: actor.identity.id })
}

function addLive(app: FastifyInstance, { db, log, sessions, sandboxes }: DashboardParts) {
  const live = new Live(db, log)
  app.addHook('preClose', async () => live.close())
  app.get('/dashboard/live', async (request, reply) => {
    // An EventSource sends no header of ours. It cannot change anything, and no other page may read what it is told.
    const { team: wanted, sandbox } = request.query as { team?: unknown; sandbox?: unknown }
    const visitor = await sessions.require(request.headers, wanted)
    if (sandbox !== undefined && !(typeof sandbox === 'string' && isId(sandbox)))
      throw new Problem('invalid_parameter', 'The `sandbox` must be a valid UUID.')
    const { identity } = visitor
    const { team } = sandbox === undefined ? visitor : await sandboxes.enter(visitor, sandbox.toLowerCase())
    await db.forTeams([team])
    const session = identity.kind === 'user' ? identity.session.id : identity.id
    const admission = live.admit({ team, session })
    if (admission === 'team is full')
      throw new Problem('rate_limit_exceeded', 'Too many dashboards of your team are open.')
    if (admission === 'full') throw new Problem('service_unavailable', 'Too many dashboards are open.')
    const { headers } = request
    reply.hijack()
    await live.add(
      {
        team,
        session,
        response: reply.raw,
        isWelcome: () =>
          sessions.require(headers, wanted).then(
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
        request.exchange.actor = await sessions.require(request.headers)
        if (!isOurOrigin(request.headers, config.PUBLIC_URL))
          throw new Problem('dashboard_only', 'Only the dashboard can call this.')
        if (!request.headers['content-type']?.startsWith(FRAME_FORM_TYPE))
          throw new Problem('unsupported_content_type', `Send a form as \`${FRAME_FORM_TYPE}\`.`)
      },
    },
    async (request, reply) => sendFrame(reply, String(request.body ?? '')),
  )
}
