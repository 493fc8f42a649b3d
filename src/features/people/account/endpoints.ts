import { requireUser } from '../../../kernel/http/actor.ts'
import { found } from '../../../kernel/http/problem.ts'
import { IdParams, present, reference } from '../../../kernel/http/shapes.ts'
import { deletionAfter, endpoint, list } from '../../definitions.ts'
import { findAccount } from '../account.ts'
import { renamePasskey } from '../passkeys.ts'
import { addPasskey, changeAccount, endOtherSessions, endSession, offerPasskey, removePasskey } from './actions.ts'
import { CreatePasskey } from './create-passkey.ts'
import { passkeyRows, sessionRows } from './queries.ts'
import {
  Account,
  AccountReference,
  DeletedPasskey,
  DeletedSession,
  DeletedSessions,
  PasskeyItem,
  PasskeyOptions,
  PasskeyReference,
  SessionItem,
  UpdateAccount,
  UpdatePasskey,
} from './schema.ts'

export const accountEndpoints = [
  endpoint({
    id: 'account.get',
    access: 'person',
    route: 'GET /account',
    summary: 'Retrieve your account',
    reply: Account,
    async run({ services, actor }) {
      return present('account', found(await findAccount(services.db, requireUser(actor).identity.id), 'Account'))
    },
  }),
  endpoint({
    id: 'account.update',
    access: 'person',
    route: 'PATCH /account',
    summary: 'Update your account',
    body: UpdateAccount,
    reply: AccountReference,
    run: async ({ body, services, actor }) => reference('account', await changeAccount(services, actor, body)),
  }),
  endpoint({
    id: 'account.passkeys.options',
    access: 'person',
    // It changes nothing: what it answers is signed, and kept by nobody.
    audited: false,
    route: 'POST /account/passkeys/options',
    summary: 'Begin to add a passkey',
    description: 'Needs a fresh proof of who you are. The answer is for `navigator.credentials.create`.',
    reply: PasskeyOptions,
    run: async ({ services, actor }) => ({
      object: 'passkey_options' as const,
      options: { ...(await offerPasskey(services, actor)) },
    }),
  }),
  endpoint({
    id: 'account.passkeys.create',
    access: 'person',
    route: 'POST /account/passkeys',
    summary: 'Add a passkey',
    description: 'Needs a fresh proof of who you are.',
    status: 201,
    body: CreatePasskey,
    reply: PasskeyReference,
    run: async ({ body, services, actor }) => reference('passkey', await addPasskey(services, actor, body)),
  }),
  list({
    id: 'account.passkeys.list',
    access: 'person',
    route: 'GET /account/passkeys',
    summary: 'List your passkeys',
    item: PasskeyItem,
    unlimited: 'all',
    rows: ({ actor }) => passkeyRows(requireUser(actor).identity.id),
  }),
  endpoint({
    id: 'account.passkeys.update',
    access: 'person',
    route: 'PATCH /account/passkeys/:id',
    summary: 'Rename a passkey',
    params: IdParams,
    body: UpdatePasskey,
    reply: PasskeyReference,
    async run({ params, body, services, actor }) {
      const [passkey] = await renamePasskey(services.db, requireUser(actor).identity.id, params.id, body.name)
      return reference('passkey', found(passkey, 'Passkey').id)
    },
  }),
  endpoint({
    id: 'account.passkeys.remove',
    access: 'person',
    route: 'DELETE /account/passkeys/:id',
    summary: 'Remove a passkey',
    description: 'Needs a fresh proof of who you are. It signs in no more; sessions that it has opened go on.',
    params: IdParams,
    reply: DeletedPasskey,
    run: deletionAfter('passkey', removePasskey),
  }),
  list({
    id: 'account.sessions.list',
    access: 'person',
    route: 'GET /account/sessions',
    summary: 'List where you are signed in',
    item: SessionItem,
    unlimited: 100,
    rows({ services, actor }) {
      const { id, session } = requireUser(actor).identity
      return sessionRows(id, { current: session.id, now: services.clock.now() })
    },
  }),
  endpoint({
    id: 'account.sessions.remove',
    access: 'person',
    route: 'DELETE /account/sessions/:id',
    summary: 'End a session',
    description: 'Whoever uses it is signed out within a second.',
    params: IdParams,
    reply: DeletedSession,
    run: deletionAfter('account_session', endSession),
  }),
  endpoint({
    id: 'account.sessions.remove-others',
    access: 'person',
    route: 'DELETE /account/sessions',
    summary: 'End all sessions but this one',
    reply: DeletedSessions,
    run: async ({ services, actor }) => ({
      object: 'account_sessions' as const,
      deleted: await endOtherSessions(services, actor),
    }),
  }),
]
