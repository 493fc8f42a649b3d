import type { InjectOptions } from 'fastify'
import { sql } from '../../src/kernel/db/sql.ts'
import type { App, Client, Reply } from './app.ts'
import { emptyLedger, sendEmail, startAcme } from './emails.ts'

/** A sandbox with a scenario of the test's own. */
export interface StagedSandbox extends Client {
  readonly domain: string
  setScenario(scenario: object): Promise<Reply>
  /** Sends one from the sandbox's domain, and tells its id. */
  mail(fields?: object): Promise<string>
}

/** The app with a team that can make sandboxes. */
export async function startStage(settings: Record<string, string> = {}) {
  const { app, acme } = await startAcme(settings)
  await emptyLedger(app)
  return {
    app,
    acme,
    sandbox: (seed?: string) => makeSandbox(app, acme, seed),
    /** Does what is due: mail, what the other side does, and what comes of it. */
    async settle() {
      await app.deliverDue()
      await app.runDueJobs()
    },
  }
}

async function makeSandbox(app: App, acme: Client, seed?: string): Promise<StagedSandbox> {
  const { body, status } = await acme.post('/sandboxes', { seed })
  if (status !== 201) throw new Error(`no sandbox: ${JSON.stringify(body)}`)
  const token = body.api_key as string
  const send = (request: InjectOptions) =>
    app.send({ ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } })
  const call = (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, payload?: unknown, headers = {}) =>
    send({ method, url, headers, ...(payload !== undefined && { payload: payload as object }) })
  const client: Client = {
    team: body.id,
    token,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, given, headers) => call('POST', path, given, headers),
    patch: (path, given) => call('PATCH', path, given),
    delete: (path, given) => call('DELETE', path, given),
    send,
    events: () => app.db.query(sql`select type, data from outbox where team_id = ${body.id} order by id`),
  }
  return {
    ...client,
    domain: body.domain,
    setScenario: (scenario) => call('PUT', '/scenario', scenario),
    mail: (fields = {}) => sendEmail(client, { from: `Acme <hello@${body.domain}>`, ...fields }),
  }
}
