import { randomBytes } from 'node:crypto'
import { recordAudit } from '../../kernel/audit/record.ts'
import type { Database } from '../../kernel/db/database.ts'
import { tokenDigest } from '../../kernel/http/auth.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import type { LinkSigner } from '../../platform/links.ts'
import { lockMembership } from '../people/memberships.ts'
import type { Policy } from '../policies/schema.ts'
import { setPolicy, summaryOf } from '../policies/write.ts'
import { findClient } from './clients.ts'
import type { DocumentClients } from './document-clients.ts'
import { isDocumentId } from './document-clients.ts'
import { OAuthError } from './error.ts'
import { insertGrant } from './grants.ts'
import { type Parameters, requireParameter } from './parameters.ts'
import { checkRedirectUri, describeTarget, isRegistered, isTrustedWithErrors, withAnswer } from './redirect-uri.ts'
import { readResource } from './resource.ts'
import { narrowScopes, readScopes, type Scope } from './scopes.ts'

const MAX_STATE = 1_024
/** How long somebody may take to sign in and to make up their mind. */
const REQUEST_MS = 10 * 60_000
const PURPOSE = 'oauth request'

/** What a program asks somebody for, once it is clear that it may. */
interface AuthorizationRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: readonly Scope[]
  readonly state: string | undefined
  readonly codeChallenge: string
  readonly resource: string | null
}

interface Parts {
  readonly db: Database
  readonly links: LinkSigner
  publicUrl(): string
}

/** Where the browser that comes to `/oauth/authorize` goes next: to the page that asks, or back to the program with an error. */
export async function beginAuthorization(
  parts: Parts & { readonly documents: DocumentClients },
  parameters: Parameters,
  address: string,
): Promise<string> {
  const { db, documents } = parts
  const clientId = requireParameter(parameters, 'client_id')
  const client = isDocumentId(clientId) ? await documents.find(clientId, address) : await findClient(db, clientId)
  if (!client) throw new OAuthError('invalid_client', 'Unknown client.')
  const redirectUri = requireParameter(parameters, 'redirect_uri')
  if (!isRegistered(redirectUri, client.redirectUris))
    throw new OAuthError('invalid_request', 'The `redirect_uri` is not registered for this client.')
  // Again: clients that registered before a rule was made keep to it, too.
  checkRedirectUri(redirectUri)
  try {
    const request = readRequest(parameters, client.scopes, parts.publicUrl())
    return pageFor(parts, { ...request, clientId, redirectUri })
  } catch (error) {
    if (!(error instanceof OAuthError) || !isTrustedWithErrors(redirectUri)) throw error
    const { code, message } = error
    const state = parameters.get('state')?.slice(0, MAX_STATE)
    return withAnswer(redirectUri, { error: code, error_description: message, state, iss: parts.publicUrl() })
  }
}

function readRequest(parameters: Parameters, allowed: readonly Scope[], publicUrl: string) {
  const state = parameters.get('state')
  if (state !== undefined && state.length > MAX_STATE)
    throw new OAuthError('invalid_request', `The \`state\` must not be longer than ${MAX_STATE} characters.`)
  if (requireParameter(parameters, 'response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'The `response_type` must be `code`.')
  if ((parameters.get('response_mode') ?? 'query') !== 'query')
    throw new OAuthError('invalid_request', 'The `response_mode` must be `query`.')
  const codeChallenge = requireParameter(parameters, 'code_challenge')
  if (requireParameter(parameters, 'code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'The `code_challenge_method` must be `S256`.')
  if (!/^[\w-]{43}$/.test(codeChallenge))
    throw new OAuthError('invalid_request', 'The `code_challenge` must be a SHA-256 digest in base64url.')
  return {
    state,
    codeChallenge,
    scopes: narrowScopes(readScopes(parameters.get('scope')), allowed),
    resource: readResource(parameters.get('resource'), publicUrl),
  }
}

function pageFor({ db, links, publicUrl }: Parts, request: AuthorizationRequest): string {
  const { clientId, redirectUri, scopes, state, codeChallenge, resource } = request
  const signed = links.sign(
    PURPOSE,
    {
      client: clientId,
      redirect: redirectUri,
      scope: scopes.join(' '),
      challenge: codeChallenge,
      ...(state !== undefined && { state }),
      ...(resource !== null && { resource }),
    },
    new Date(db.clock.now().getTime() + REQUEST_MS),
  )
  return `${publicUrl()}/dashboard/authorize?${new URLSearchParams({ request: signed })}`
}

/** Throws when nobody has made this request here, or when it was too long ago. */
function openRequest({ db, links }: Parts, signed: unknown): AuthorizationRequest {
  const read = typeof signed === 'string' ? links.read(PURPOSE, signed, db.clock.now()) : null
  if (!read)
    throw new Problem(
      'validation_error',
      'This request has expired or is incomplete. Start again in the app that sent you here.',
    )
  return {
    clientId: read.client!,
    redirectUri: read.redirect!,
    scopes: readScopes(read.scope) ?? [],
    codeChallenge: read.challenge!,
    state: read.state,
    resource: read.resource ?? null,
  }
}

/** What the page shows before somebody says yes. */
export async function describeRequest(parts: Parts, signed: unknown) {
  const { clientId, redirectUri, scopes } = openRequest(parts, signed)
  const { name, kind } = found(await findClient(parts.db, clientId), 'Client')
  return {
    object: 'oauth_request' as const,
    client: {
      id: clientId,
      name,
      kind,
      // The only thing about it that was checked.
      host: kind === 'document' ? new URL(clientId).host : null,
    },
    scopes,
    sent_to: describeTarget(redirectUri),
  }
}

interface Consent {
  readonly user: { readonly id: string; readonly email: string | null }
  readonly team: string
  /** What the program may send, if the person has said so. The program has no say in it. */
  readonly policy: Policy | null
  readonly ipAddress: string
  readonly userAgent: string | null
}

/** Somebody lets the program in. Returns where their browser goes, with a code that the program changes for tokens. */
export async function approve(parts: Parts, signed: unknown, consent: Consent): Promise<string> {
  const request = openRequest(parts, signed)
  const { user, team, policy, ipAddress, userAgent } = consent
  const client = found(await findClient(parts.db, request.clientId), 'Client')
  const code = randomBytes(32).toString('base64url')
  await parts.db.transaction(async (trx) => {
    if (!(await lockMembership(trx, team, user.id)))
      throw new Problem('invalid_permission', 'You are not a member of this team.')
    const id = await insertGrant(trx, { ...request, team, userId: user.id, client, codeSha256: tokenDigest(code) })
    if (policy) await setPolicy(trx, { team, policyId: id, holder: 'oauth_grant' }, policy)
    await recordAudit(trx, {
      team,
      actor: { kind: 'user', id: user.id, name: user.email },
      action: 'oauth.approve',
      objectId: id,
      details: {
        client_id: client.id,
        client_name: client.name,
        scopes: request.scopes,
        ...(policy && { policy: summaryOf(policy) }),
      },
      ipAddress,
      userAgent,
    })
  })
  return withAnswer(request.redirectUri, { code, state: request.state, iss: parts.publicUrl() })
}

/** Somebody does not. It was their own decision to go back, so the program is told wherever it is. */
export function deny(parts: Parts, signed: unknown): string {
  const { redirectUri, state } = openRequest(parts, signed)
  const answer = { error: 'access_denied', error_description: 'The user denied access.', state }
  return withAnswer(redirectUri, { ...answer, iss: parts.publicUrl() })
}
