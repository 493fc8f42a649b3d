import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Static } from 'typebox'
import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { newId } from '../../platform/ids.ts'
import { type Asked, type Challenges, spendChallenge } from './challenges.ts'
import type { AuthenticationResponse, RegistrationResponse } from './passkey-schema.ts'
import { type RelyingParty, relyingParty } from './relying-party.ts'

export interface PasskeyServices {
  readonly db: Queryable
  readonly challenges: Challenges
  publicUrl(): string
}

/** Loaded with the first passkey that is used: it brings along what reads certificates, and most processes never need it. */
const library = () => import('@simplewebauthn/server')

/** One for each device, and some that are lost. */
const MAX_PASSKEYS = 20

interface Passkey {
  readonly id: string
  readonly userId: string
  readonly credentialId: string
  readonly publicKey: Buffer
  readonly counter: number
  readonly transports: string[]
}

const COLUMNS = sql`
  id, user_id as "userId", credential_id as "credentialId", public_key as "publicKey", counter::float8 as counter, transports`

const findPasskeys = (db: Queryable, userId: string) =>
  db.query<Passkey>(sql`select ${COLUMNS} from passkeys where user_id = ${userId} order by id`)

export async function hasPasskeys(db: Queryable, userId: string): Promise<boolean> {
  const [found] = await db.query(sql`select from passkeys where user_id = ${userId} limit 1`)
  return found !== undefined
}

function requireParty({ publicUrl }: PasskeyServices): RelyingParty {
  const party = relyingParty(publicUrl())
  if (!party)
    throw new Problem('validation_error', 'Passkeys need a host name: set POSTWREN_PUBLIC_URL to one, not an IP.')
  return party
}

/** What a browser needs to make a passkey. */
export async function registrationOptions(
  services: PasskeyServices,
  { user, session }: { user: { id: string; email: string; name: string }; session: string },
) {
  const { db, challenges } = services
  const party = requireParty(services)
  const existing = await findPasskeys(db, user.id)
  if (existing.length >= MAX_PASSKEYS)
    throw new Problem('quota_exceeded', `You can have up to ${MAX_PASSKEYS} passkeys.`)
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Postwren',
    rpID: party.id,
    userID: new TextEncoder().encode(user.id),
    userName: user.email,
    userDisplayName: user.name || user.email,
    challenge: challenges.make({ purpose: 'registration', session }, db.clock.now()),
    attestationType: 'none',
    excludeCredentials: existing.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    // Discoverable: whoever signs in need not say first who they are.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** A passkey that its device has proven to have, not yet kept. */
export interface NewPasskey {
  readonly credentialId: string
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly transports: readonly string[]
  readonly challenge: string
}

export async function verifyRegistration(
  services: PasskeyServices,
  session: string,
  response: Static<typeof RegistrationResponse>,
): Promise<NewPasskey> {
  const { challenge, isOurs } = expectChallenge(services, { purpose: 'registration', session })
  const party = requireParty(services)
  const { verifyRegistrationResponse } = await library()
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, clientExtensionResults: {} } as RegistrationResponseJSON,
    expectedChallenge: isOurs,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
  }).catch(() => ({ registrationInfo: undefined }))
  if (!registrationInfo) throw new Problem('validation_error', 'This passkey could not be verified. Try again.')
  const { id, publicKey, counter } = registrationInfo.credential
  return {
    credentialId: id,
    publicKey,
    counter,
    transports: response.response.transports ?? [],
    challenge: challenge(),
  }
}

export async function insertPasskey(
  trx: Transaction,
  { userId, name, passkey }: { userId: string; name: string; passkey: NewPasskey },
): Promise<string> {
  // Those who add at the same time wait here for each other, so that they count what the others have written.
  await trx.query(sql`select id from users where id = ${userId} for no key update`)
  if (!(await spendChallenge(trx, passkey.challenge))) throw usedBefore()
  const { credentialId, publicKey, counter, transports } = passkey
  const id = newId(trx.clock)
  const rows = await trx.query(sql.write`
    insert into passkeys (user_id, id, credential_id, public_key, counter, transports, name, created_at)
    select ${userId}, ${id}, ${credentialId}, ${Buffer.from(publicKey)}, ${counter}, ${transports}::text[], ${name}, ${trx.clock.now()}
    where (select count(*) from passkeys where user_id = ${userId}) < ${MAX_PASSKEYS}
    on conflict (credential_id) do nothing returning id`)
  if (rows.length === 0) throw new Problem('validation_error', 'This passkey is already registered.')
  return id
}

/** What a browser needs to use a passkey. Without a `userId`: whichever passkey somebody has for this installation. */
export async function authenticationOptions(services: PasskeyServices, asked: Asked, userId?: string) {
  const { db, challenges } = services
  const party = requireParty(services)
  const own = userId === undefined ? undefined : await findPasskeys(db, userId)
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: challenges.make(asked, db.clock.now()),
    userVerification: 'required',
    ...(own && { allowCredentials: own.map(({ credentialId, transports }) => ({ id: credentialId, transports })) }),
  })
}

/** Whose passkey has answered, not yet written down: `spendProof` does. */
export interface PasskeyProof {
  readonly id: string
  readonly userId: string
  readonly counter: number
  readonly challenge: string
}

export async function verifyAuthentication(
  services: PasskeyServices,
  asked: Asked,
  response: Static<typeof AuthenticationResponse>,
): Promise<PasskeyProof> {
  const { db } = services
  const party = requireParty(services)
  const { challenge, isOurs } = expectChallenge(services, asked)
  const [passkey] = await db.query<Passkey>(sql`select ${COLUMNS} from passkeys where credential_id = ${response.id}`)
  const { verifyAuthenticationResponse } = await library()
  const { userHandle } = response.response
  const isOfUser = !userHandle || Buffer.from(userHandle, 'base64url').toString() === passkey?.userId
  const verified =
    passkey && isOfUser
      ? await verifyAuthenticationResponse({
          response: { ...response, clientExtensionResults: {} } as AuthenticationResponseJSON,
          expectedChallenge: isOurs,
          expectedOrigin: party.origin,
          expectedRPID: party.id,
          requireUserVerification: true,
          credential: {
            id: passkey.credentialId,
            publicKey: new Uint8Array(passkey.publicKey),
            counter: passkey.counter,
          },
        }).catch(() => undefined)
      : undefined
  // One answer for all that can be wrong: who tries learns nothing from it.
  if (!passkey || !verified?.verified)
    throw new Problem('invalid_passkey', 'This passkey is unknown, or it took too long. Use another way to sign in.')
  return {
    id: passkey.id,
    userId: passkey.userId,
    counter: verified.authenticationInfo.newCounter,
    challenge: challenge(),
  }
}

export async function spendProof(trx: Transaction, { id, userId, counter, challenge }: PasskeyProof) {
  if (!(await spendChallenge(trx, challenge))) throw usedBefore()
  const rows = await trx.query(sql.write`
    update passkeys set counter = ${counter}, last_used_at = ${trx.clock.now()}
    where user_id = ${userId} and id = ${id} returning id`)
  if (rows.length === 0) throw new Problem('invalid_passkey', 'This passkey was removed.')
}

const usedBefore = () => new Problem('invalid_passkey', 'This passkey response was already used. Try again.')

/** The library hands over which challenge was answered, to be judged; it is kept to be spent. */
function expectChallenge({ db, challenges }: PasskeyServices, asked: Asked) {
  let given = ''
  return {
    challenge: () => given,
    isOurs(challenge: string) {
      given = challenge
      return challenges.isOurs(challenge, asked, db.clock.now())
    },
  }
}

export const renamePasskey = (db: Queryable, userId: string, id: string, name: string) =>
  db.query<{ id: string }>(sql.write`
    update passkeys set name = ${name} where user_id = ${userId} and id = ${id} returning id`)

export const deletePasskey = (db: Queryable, userId: string, id: string) =>
  db.query<{ name: string }>(sql.write`delete from passkeys where user_id = ${userId} and id = ${id} returning name`)
