import { expect, test } from 'vitest'
import { ENDPOINTS } from '../src/features/index.ts'
import { ACCESS, type Access } from '../src/kernel/http/access.ts'
import type { Endpoint } from '../src/kernel/http/endpoint.ts'
import { startApp } from './harness/app.ts'
import type { Caller } from './harness/callers.ts'
import { answerOf, pathOf } from './harness/requests.ts'
import { ACTORS } from './harness/roles.ts'

// Who may call what: each endpoint, asked by each kind of actor, and written down in one table. A new endpoint, or one that is open
// to others now, fails until somebody has looked at its line in the table and let it be written (`vitest -u`).

const ANY_ID = '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f'
const anywhere = new Proxy({}, { get: () => ANY_ID })

const REFUSALS = ['403 invalid_permission', '401 restricted_api_key', '403 policy_refused']

const isRefused = async (caller: Caller, endpoint: Endpoint) =>
  REFUSALS.includes(answerOf(await caller.send({ method: endpoint.method, url: pathOf(endpoint, anywhere) })))

test('each endpoint is open to those who the table says, and to nobody else', async () => {
  const app = await startApp()
  const openTo = new Map<Endpoint, string[]>(ENDPOINTS.map((endpoint) => [endpoint, []]))

  // With ids of nothing and without a body hardly anything comes to pass, and what does stays in the actor's own team.
  for (const [name, make] of Object.entries(ACTORS)) {
    const caller = await make(app)
    // One kind after the other: last comes what may end the session or the team of who asks.
    for (const access of ACCESS)
      await Promise.all(
        endpointsOf(access).map(async (endpoint) => {
          if (!(await isRefused(caller, endpoint))) openTo.get(endpoint)!.push(name)
        }),
      )
  }

  await expect(ACCESS.map((access) => chapterOf(access, openTo)).join('\n')).toMatchFileSnapshot('fixtures/roles.txt')
})

const endpointsOf = (access: Access) => ENDPOINTS.filter((endpoint) => endpoint.access === access)

/** A kind of access: who has it, and what it opens. */
function chapterOf(access: Access, openTo: ReadonlyMap<Endpoint, readonly string[]>): string {
  const endpoints = endpointsOf(access)
  const everybody = new Set(endpoints.map((endpoint) => openTo.get(endpoint)!.join(', ')))
  const ids = endpoints.map(({ id }) => `  ${id}\n`).sort()
  return `${[access, ...everybody].join(': ')}\n${ids.join('')}`
}
