import { expect } from 'vitest'
import { type StoredBodies, unpacked } from '../../src/features/emails/reads.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import type { App, Client, Reply } from './app.ts'

/** Calls the API with a key whose mail waits for approval. */
export interface GuardedKey {
  readonly id: string
  readonly token: string
  post(path: string, body?: unknown): Promise<Reply>
  get(path: string): Promise<Reply>
  /** The id of an email that waits. */
  send(fields?: object): Promise<string>
}

export async function guardedKey(app: App, { post }: Client, policy: object = { hold: true }): Promise<GuardedKey> {
  const { status, body, text } = await post('/api-keys', { name: 'Agent', policy })
  if (status !== 201) throw new Error(`no key: ${text}`)
  const headers = { authorization: `Bearer ${body.token}` }
  const call = (method: 'GET' | 'POST', url: string, payload?: object) =>
    app.send({ method, url, headers, ...(payload !== undefined && { payload }) })
  return {
    id: body.id,
    token: body.token,
    get: (path) => call('GET', path),
    post: (path, given) => call('POST', path, given as object),
    async send(fields = {}) {
      const mail = { from: 'agent@acme.dev', to: 'ada@example.org', subject: 'Hello', html: '<p>Hi</p>', ...fields }
      const reply = await call('POST', '/emails', mail)
      expect(reply.status, reply.text).toBe(200)
      return reply.body.id
    },
  }
}

/** Mail of the installation to somebody, the oldest first: what it says, and the two links in it. */
export async function noticesTo(app: App, address: string) {
  const rows = await app.db.query<{ subject: string } & StoredBodies>(sql`
    select e.subject, b.text, b.html, b.content from emails e join email_bodies b on b.team_id = e.team_id and b.email_id = e.id
    where e."to" ->> 0 = ${address} and e.is_system order by e.id`)
  return rows.map((stored) => {
    const { subject, text, html } = unpacked(stored) as { subject: string; text: string; html: string }
    const [approve = '', refuse = ''] = text.match(/https?:\/\/\S+\/approve\/\S+/g) ?? []
    return { subject, text, html, approve: pathOf(approve), refuse: pathOf(refuse) }
  })
}

const pathOf = (url: string) => (url ? `${new URL(url).pathname}${new URL(url).search}` : '')

/** Presses a button of the page that a link leads to. */
export const press = (app: App, path: string, fields: readonly [string, string][]) =>
  app.server.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams([...fields]).toString(),
  })
