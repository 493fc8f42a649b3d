import { once } from 'node:events'
import { createServer } from 'node:http'
import { onTestFinished, vi } from 'vitest'
import type { App, Reply } from './app.ts'

/** Somebody as the provider knows them. */
export interface Account {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly groups?: readonly string[]
}

export const CLIENT = { client_id: 'postwren', client_secret: 'a secret of both of them' }

/** A real provider on this machine, where whoever comes is signed in as the one whom the test has chosen. */
export async function startProvider(id: string, accounts: Record<string, Account>) {
  const { Provider } = await quietLibrary()
  let person = Object.keys(accounts)[0]!
  const server = createServer((request, response) => {
    if (request.url!.startsWith('/interaction/'))
      void provider.interactionFinished(request, response, { login: { accountId: person } })
    else provider.callback()(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://localhost:${(server.address() as { port: number }).port}`
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [`http://localhost:4025/dashboard/sign-in/oidc/${id}/callback`] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    cookies: { keys: ['anything'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...accounts[sub] }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! })
      grant.addOIDCScope('openid email profile groups')
      await grant.save()
      return grant
    },
  })
  const stop = async () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(stop)
  return {
    id,
    issuer,
    stop,
    setting: { id, name: 'Acme ID', issuer, ...CLIENT },
    choose: (sub: string) => {
      person = sub
    },
  }
}

/** It has much to say about how it should be set up where people depend on it. */
function quietLibrary() {
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  return import('oidc-provider')
}

const pairOf = (cookie: string) => cookie.split(';', 1)[0]!

/** A browser of its own: goes where it is sent, and keeps the cookies of us and of the provider apart. */
export function openBrowser(app: App) {
  const jar = { ours: new Map<string, string>(), theirs: new Map<string, string>() }
  const keep = (cookies: Map<string, string>, set: readonly string[]) => {
    for (const cookie of set) {
      const [name = '', value = ''] = pairOf(cookie).split(/=(.*)/s)
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
  }
  const sent = (cookies: Map<string, string>) => [...cookies].map((pair) => pair.join('=')).join('; ')

  const open = async (path: string): Promise<Reply> => {
    const reply = await app.send({ url: path, headers: { host: 'localhost:4025', cookie: sent(jar.ours) } })
    keep(jar.ours, [reply.headers['set-cookie'] ?? []].flat() as string[])
    return reply
  }
  /** Through the pages of the provider, until they lead back to us. */
  const visit = async (url: string): Promise<string> => {
    const reply = await fetch(url, { redirect: 'manual', headers: { cookie: sent(jar.theirs) } })
    keep(jar.theirs, reply.headers.getSetCookie())
    const location = reply.headers.get('location')
    if (!location) throw new Error(`The provider answered ${reply.status}: ${await reply.text()}`)
    const next = new URL(location, url)
    return next.port === '4025' ? `${next.pathname}${next.search}` : visit(next.href)
  }
  return {
    jar,
    open,
    /** Begins a sign-in. Returns the path that the provider sends the browser back to. */
    async begin(id: string, query = ''): Promise<string> {
      const reply = await open(`/dashboard/sign-in/oidc/${id}${query}`)
      if (reply.status !== 303) throw new Error(`${reply.status}: ${reply.text}`)
      return visit(String(reply.headers.location))
    },
    /** What our page learns about who is signed in. */
    session: () =>
      app.send({
        url: '/dashboard/session',
        headers: { host: 'localhost:4025', 'x-postwren-dashboard': '1', cookie: sent(jar.ours) },
      }),
  }
}
