import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { atEnd } from '../../bench/cleanup.ts'
import { API_KEY, freePort, startService } from '../../bench/service.ts'
import { letProgramIn } from './grant.ts'

/** What all clients find: a fresh service on loopback, a second team, and an application that listens to webhooks. */
export interface World {
  readonly url: string
  readonly token: string
  /** Of another team. */
  readonly neighbour: string
  readonly smtpPort: number
  /** Answers a webhook with 200; `GET` of the same path shows the last one that came there, with its headers. */
  readonly hookUrl: string
  /** Mail that arrives, with one attachment and one inline picture. Gives back its subject. */
  receive(to?: string): Promise<string>
  /** The id of a grant: a person has let a program in. */
  grant(): Promise<string>
  /** A call outside of any client, for what only the other side can do. */
  ask(method: string, path: string, body?: unknown, token?: string): Promise<Json>
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a service of another making may answer
export type Json = any

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export async function startWorld(): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postwren-clients-data-'))
  atEnd(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const smtpPort = await freePort()
  const service = await startService(dataDir, 'postwren serve', { POSTWREN_SMTP_PORT: String(smtpPort) })
  const { url } = service
  command(dataDir, ['team', 'create', 'Neighbour'])
  const neighbour = command(dataDir, ['key', 'create', 'First', '--team', 'Neighbour'])
  const ask = async (method: string, path: string, body?: unknown, token = API_KEY): Promise<Json> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return reply.json()
  }
  const grant = async (): Promise<string> => {
    await letProgramIn(url, command(dataDir, ['user', 'link', 'ada@example.com']))
    return (await ask('GET', '/oauth/grants?limit=1')).data[0].id
  }
  return {
    url,
    token: API_KEY,
    neighbour,
    smtpPort,
    hookUrl: await listen(),
    receive: (to) => receive(smtpPort, to),
    grant,
    ask,
  }
}

function command(dataDir: string, words: string[]): string {
  const env = { ...process.env, POSTWREN_DATA_DIR: dataDir }
  const done = spawnSync(process.execPath, ['bin/postwren.mjs', ...words], { env, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`postwren ${words.join(' ')}: ${done.stderr}`)
  return done.stdout.trim()
}

async function listen(): Promise<string> {
  const last = new Map<string, { headers: IncomingHttpHeaders; body: string }>()
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/'
    if (request.method === 'GET') return response.end(JSON.stringify(last.get(path) ?? null))
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    last.set(path, { headers: request.headers, body: Buffer.concat(chunks).toString() })
    response.end('thanks')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

let arrived = 0

async function receive(port: number, to = 'desk@inbox.example'): Promise<string> {
  const subject = `Question ${++arrived}`
  const transport = createTransport({ host: '127.0.0.1', port, tls: { rejectUnauthorized: false } })
  await transport.sendMail({
    from: 'Ada <ada@elsewhere.example>',
    to,
    subject,
    text: 'Hi',
    html: '<p>Hi <img src="cid:logo"></p>',
    attachments: [
      { filename: 'notes.txt', content: 'hello' },
      { filename: 'logo.png', content: PNG, cid: 'logo' },
    ],
  })
  return subject
}

/** Asks again until there is an answer; half a minute, since a machine may be busy. */
export async function until<Answer>(ask: () => Promise<Answer | undefined | false>): Promise<Answer | undefined> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > deadline) return undefined
    await delay(50)
  }
}

let number = 0

/** A name that nobody else uses in this run. */
export const fresh = (word: string) => `${word}-${++number}`
export const freshAddress = (word: string) => `${fresh(word)}@example.com`

/** A well-formed id of nothing. */
export const NOBODY = '00000000-0000-4000-8000-000000000000'
