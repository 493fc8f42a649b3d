import { type Clock, clockOf } from './clock.ts'
import { type Access, call } from './http.ts'
import { type Inbox, inboxOf } from './inbox.ts'
import type { Rule, ScenarioData } from './types.ts'

export interface SandboxOptions {
  /** Of a Postwren that runs; `POSTWREN_URL` unless said. */
  readonly url?: string
  /** A full-access key of it; `POSTWREN_API_KEY` unless said. */
  readonly apiKey?: string
  readonly name?: string
  /** Seconds, or words like `2 hours`. One hour unless said. */
  readonly expiresIn?: string | number
  /** What chance in scenarios is made from: the same seed and the same calls give the same story. */
  readonly seed?: string | number
}

/** What the outside world does to the mail of a sandbox. */
export interface Scenario {
  /** Rules for mail, the first that fits counts; or the whole of a scenario. Replaces what there was. */
  set(scenario: Rule[] | ScenarioData): Promise<void>
  get(): Promise<ScenarioData>
  /** Everything is delivered again. */
  clear(): Promise<void>
}

/** A team of its own for one test: nothing leaves it, and it goes with all that is in it. */
export interface Sandbox {
  readonly id: string
  readonly apiKey: string
  /** The base URL for the SDK. */
  readonly url: string
  readonly smtp: { readonly host: string; readonly port: number; readonly user: string; readonly password: string }
  /** Mail to and from any address of this domain is the sandbox's. */
  readonly domain: string
  /** For the application under test, when it reads the environment: `RESEND_API_KEY`, `RESEND_BASE_URL` and `SMTP_URL`. */
  readonly env: Readonly<Record<'RESEND_API_KEY' | 'RESEND_BASE_URL' | 'SMTP_URL', string>>
  readonly inbox: Inbox
  readonly clock: Clock
  readonly scenario: Scenario
  /** Any call of the API, in the sandbox. */
  call<Reply = unknown>(method: string, path: string, body?: unknown): Promise<Reply>
  delete(): Promise<void>
}

interface NewSandbox {
  id: string
  api_key: string
  smtp: Sandbox['smtp']
  domain: string
}

export async function sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { name, expiresIn, seed } = options
  const owner = accessOf(options)
  const made = await call<NewSandbox>(owner, 'POST', '/sandboxes', {
    ...(name !== undefined && { name }),
    ...(expiresIn !== undefined && { expires_in: expiresIn }),
    ...(seed !== undefined && { seed }),
  })
  const { id, api_key: apiKey, smtp, domain } = made
  const access = { url: owner.url, apiKey }
  const login = `${encodeURIComponent(smtp.user)}:${encodeURIComponent(smtp.password)}`
  return {
    ...{ id, apiKey, url: owner.url, smtp, domain },
    env: {
      RESEND_API_KEY: apiKey,
      RESEND_BASE_URL: owner.url,
      // On loopback nothing needs to be encrypted, and nodemailer refuses certificates that nobody else has signed.
      SMTP_URL: `smtp://${login}@${smtp.host}:${smtp.port}/?ignoreTLS=true`,
    },
    inbox: inboxOf(access),
    clock: clockOf(access),
    scenario: scenarioOf(access),
    call: (method, path, body) => call(access, method, path, body),
    async delete() {
      await call(owner, 'DELETE', `/sandboxes/${id}`)
    },
  }
}

function accessOf({ url = process.env.POSTWREN_URL, apiKey = process.env.POSTWREN_API_KEY }: SandboxOptions): Access {
  if (url && apiKey) return { url: url.replace(/\/+$/, ''), apiKey }
  throw new Error(
    'There is no Postwren to make a sandbox in. Call startPostwren() before the tests (or make `postwren/testing/setup` the ' +
      'global set-up), or set POSTWREN_URL and POSTWREN_API_KEY to those of one that runs.',
  )
}

function scenarioOf(access: Access): Scenario {
  const put = async (scenario: ScenarioData) => void (await call(access, 'PUT', '/scenario', scenario))
  return {
    set: (scenario) => put(Array.isArray(scenario) ? { rules: scenario } : scenario),
    async get() {
      const { object: _object, ...scenario } = await call<ScenarioData & { object: string }>(access, 'GET', '/scenario')
      return scenario
    },
    clear: () => put({}),
  }
}
