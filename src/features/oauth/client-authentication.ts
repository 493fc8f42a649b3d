import { timingSafeEqual } from 'node:crypto'
import type { Queryable } from '../../kernel/db/database.ts'
import { tokenDigest } from '../../kernel/http/auth.ts'
import type { OAuthClient } from './client.ts'
import { findClient } from './clients.ts'
import { OAuthError } from './error.ts'
import { type Parameters, requireParameter } from './parameters.ts'

interface Credentials {
  readonly id: string
  readonly secret: string | undefined
}

/** Which program asks, at the endpoints that programs call themselves. One that has a secret must show it, in one way. */
export async function requireClient(
  db: Queryable,
  authorization: string | undefined,
  parameters: Parameters,
): Promise<OAuthClient> {
  const { id, secret } = readCredentials(authorization, parameters)
  const client = await findClient(db, id)
  if (!client) throw new OAuthError('invalid_client', 'There is no such client.')
  const { secretSha256 } = client
  const isProven =
    secretSha256 === null
      ? secret === undefined
      : secret !== undefined && timingSafeEqual(tokenDigest(secret), secretSha256)
  if (!isProven) throw new OAuthError('invalid_client', 'The client has not proven who it is.')
  return client
}

function readCredentials(authorization: string | undefined, parameters: Parameters): Credentials {
  if (authorization === undefined)
    return { id: requireParameter(parameters, 'client_id'), secret: parameters.get('client_secret') }
  if (parameters.has('client_secret'))
    throw new OAuthError('invalid_request', 'Send the secret in the header or in the body, and not in both.')
  const basic = readBasic(authorization)
  if (!basic) throw new OAuthError('invalid_client', 'The `Authorization` header must be `Basic` with id and secret.')
  const named = parameters.get('client_id')
  if (named !== undefined && named !== basic.id)
    throw new OAuthError('invalid_client', 'The header and the body name two different clients.')
  return basic
}

/** Both halves are encoded as in a form, before they are put together (RFC 6749, 2.3.1). */
function readBasic(authorization: string): Credentials | null {
  const [, encoded] = /^Basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(authorization) ?? []
  if (encoded === undefined) return null
  const [id = '', secret] = Buffer.from(encoded, 'base64').toString().split(/:(.*)/s)
  if (secret === undefined) return null
  // A public client that has to send a header has nothing to put behind the colon.
  return { id: decodeForm(id), secret: secret === '' ? undefined : decodeForm(secret) }
}

const decodeForm = (text: string) => new URLSearchParams(`x=${text.replaceAll('&', '%26')}`).get('x')!
