import type { Policy } from '../../src/features/policies/schema.ts'
import { type App, type Client, startApp } from './app.ts'

export const MAIL = { from: 'support@acme.dev', to: 'ada@example.com', subject: 'Hello', text: 'Hi' }

/** A caller with a key that has a policy. */
export interface GuardedClient extends Omit<Client, 'events'> {
  readonly id: string
}

/** A key with this policy, made by a client of its team. */
export async function guardedKey(app: App, owner: Client, policy: Policy, more: object = {}): Promise<GuardedClient> {
  const { status, body } = await owner.post('/api-keys', { name: 'Guarded', policy, ...more })
  if (status !== 201) throw new Error(body.message)
  return clientOf(app, { ...body, team: owner.team })
}

/** The same key at another process. */
export function clientOf(app: App, { id, team, token }: { id: string; team: string; token: string }): GuardedClient {
  const call =
    (method: 'GET' | 'POST' | 'PATCH' | 'DELETE') =>
    (url: string, payload?: unknown, headers = {}) =>
      app.send({ method, url, ...(payload !== undefined && { payload: payload as object }), headers }, token)
  return {
    ...{ id, team, token, post: call('POST'), patch: call('PATCH'), delete: call('DELETE') },
    get: (url) => app.send({ method: 'GET', url }, token),
    send: (request) => app.send(request, token),
  }
}

/** An app with a team, and a key of it that has this policy. */
export async function startGuarded(policy: Policy, more: object = {}, settings: Record<string, string> = {}) {
  const app = await startApp(settings)
  const acme = await app.as('acme')
  return { app, acme, agent: await guardedKey(app, acme, policy, more) }
}
