import { createHash, randomBytes } from 'node:crypto'
import { CLI } from '../../src/features/oauth/client.ts'
import { insertGrant } from '../../src/features/oauth/grants.ts'
import { addMember, ensureUser } from '../../src/features/people/users.ts'
import type { Policy } from '../../src/features/policies/schema.ts'
import type { App, Person, Reply } from './app.ts'

export const CALLBACK = 'http://127.0.0.1:49152/oauth/callback'

/** What only the program knows, and what it says about it. */
export function newVerifier() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

type Words = Readonly<Record<string, string | undefined>>

const formOf = (words: Words) =>
  new URLSearchParams(
    Object.entries(words).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString()

/** A program sends a browser here. What is undefined is left out. */
export const authorize = (app: App, words: Words = {}): Promise<Reply> =>
  app.send({
    method: 'GET',
    url: `/oauth/authorize?${formOf({
      client_id: CLI.id,
      response_type: 'code',
      redirect_uri: CALLBACK,
      code_challenge: newVerifier().challenge,
      code_challenge_method: 'S256',
      ...words,
    })}`,
  })

export const locationOf = ({ headers }: Reply) => new URL(String(headers.location))

/** A program calls one of the endpoints that programs call themselves. */
export const callOAuth = (app: App, path: 'token' | 'revoke', words: Words, headers: Record<string, string> = {}) =>
  app.send({
    method: 'POST',
    url: `/oauth/${path}`,
    payload: formOf(words),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

export const register = (app: App, metadata: object = {}, from = '192.0.2.1') =>
  app.send({
    method: 'POST',
    url: '/oauth/register',
    payload: { client_name: 'Example', redirect_uris: [CALLBACK], ...metadata },
    remoteAddress: from,
  })

/** Somebody says yes, with a policy or without. Returns what the program needs to get tokens. */
export async function getCode(app: App, person: Person, words: Words = {}, policy?: Policy) {
  const { verifier, challenge } = newVerifier()
  const page = locationOf(await authorize(app, { code_challenge: challenge, ...words }))
  const request = page.searchParams.get('request')
  const consent = { request, team: person.team, ...(policy && { policy }) }
  const { body } = await person.post('/dashboard/oauth/approve', consent)
  const answer = new URL(body.redirect_to)
  return {
    answer,
    exchange: {
      grant_type: 'authorization_code',
      client_id: words.client_id ?? CLI.id,
      code: answer.searchParams.get('code')!,
      redirect_uri: words.redirect_uri ?? CALLBACK,
      code_verifier: verifier,
    },
  }
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
}

/** Somebody says yes, and the program has its tokens. */
export async function getTokens(app: App, person: Person, words: Words = {}, policy?: Policy): Promise<Tokens> {
  const { exchange } = await getCode(app, person, words, policy)
  return (await callOAuth(app, 'token', exchange)).body
}

export const refresh = (app: App, refreshToken: string, words: Words = {}) =>
  callOAuth(app, 'token', { grant_type: 'refresh_token', client_id: CLI.id, refresh_token: refreshToken, ...words })

/** Calls the API with an access token. */
export const callWith = (app: App, token: string, method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) =>
  app.send({ method, url, ...(payload && { payload }), headers: { authorization: `Bearer ${token}` } })

/** A program that somebody of the team lets act for them. Returns the id of the grant. */
export async function addGrant({ db }: App, team: string): Promise<string> {
  const { id: userId } = await ensureUser(db, `grants-${randomBytes(8).toString('hex')}@example.com`)
  await addMember(db, team, userId, 'viewer')
  return insertGrant(db, {
    team,
    userId,
    client: CLI,
    scopes: ['full_access'],
    resource: null,
    redirectUri: CALLBACK,
    codeChallenge: newVerifier().challenge,
    codeSha256: randomBytes(32),
  })
}
