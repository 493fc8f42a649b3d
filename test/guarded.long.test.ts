import { expect, test } from 'vitest'
import { ENDPOINTS } from '../src/features/index.ts'
import type { Policy } from '../src/features/policies/schema.ts'
import { type Access, GUARDED_ACCESS } from '../src/kernel/http/access.ts'
import type { Endpoint } from '../src/kernel/http/endpoint.ts'
import { type Client, startApp } from './harness/app.ts'
import { guardedKey } from './harness/guarded.ts'
import { getTokens } from './harness/oauth.ts'
import { answerOf, bodyOf, call, pathOf } from './harness/requests.ts'
import { stateOf } from './harness/state.ts'
import { makeWorld } from './harness/world.ts'

// What whoever has a policy can do with all of the API: with a good request to each endpoint, about things that are there.

/** Nobody can be written to. */
const NOBODY: Policy = { recipients: { domains: ['nobody.invalid'] } }

/** What is kept of drafts, of who looks at a thread, and of what was refused. */
const OF_DRAFTS = /^(?:inbox_drafts|inbox_viewers|inboxes|policy_refusals|outbox\w*|jobs|search_\w+)$/
/** What jobs write of the mail that is there, whoever asks. */
const OF_JOBS = /^(?:metric_\w+|received_emails|received_documents|email_documents|uncounted_batches)$/

/** What is of a sandbox is not: whoever has a policy enters none. */
const isOpen = ({ access, id }: Endpoint) => GUARDED_ACCESS.has(access) && !/^(?:clock|scenario)\./.test(id)

/** Writes a draft, and sends nothing. Sending one later is refused, too. */
const DRAFTS = /^inboxes\.drafts\.(?:create|update|schedule|unschedule)$/

const SENDING: ReadonlySet<Access> = new Set<Access>(['send', 'compose'])

test('a key and an app that may write to nobody change nothing with any endpoint, and none of them sends', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const owner = await app.ownerOf(acme)
  const world = await makeWorld(acme, app)
  const key = await guardedKey(app, acme, NOBODY)
  const { access_token } = await getTokens(app, owner, { scope: 'full_access' }, NOBODY)
  const send: Client['send'] = (request) =>
    app.send({ ...request, headers: { ...request.headers, authorization: `Bearer ${access_token}` } })
  // What it has left to be done is not what this is about.
  await app.runDueJobs()
  await app.fileMail()
  await app.deliverDue()
  const before = await stateOf(app.db, acme.team)

  for (const caller of [key, { ...key, send }]) {
    const answers: Record<string, string> = {}
    for (const endpoint of ENDPOINTS)
      answers[endpoint.id] = answerOf(await call(caller, endpoint, pathOf(endpoint, world), bodyOf(endpoint, world)))

    const wrong = ENDPOINTS.filter((endpoint) => {
      const answer = answers[endpoint.id]!
      if (!isOpen(endpoint)) return answer !== '403 policy_refused'
      if (DRAFTS.test(endpoint.id)) return !/^20\d/.test(answer)
      return SENDING.has(endpoint.access) ? !isHarmless(endpoint, answer) : !/^(?:200|4\d\d )/.test(answer)
    })
    expect(wrong.map(({ id }) => `${id}: ${answers[id]}`)).toEqual([])
  }
  app.clock.advance(60)
  await app.runDueJobs()

  const after = await stateOf(app.db, acme.team)
  const changed = Object.keys(after).filter((table) => after[table] !== before[table])
  expect(changed.filter((table) => !OF_DRAFTS.test(table) && !OF_JOBS.test(table))).toEqual([])
})

/** A trial says what would be refused; all else is refused. */
const isHarmless = ({ id }: Endpoint, answer: string) =>
  id === 'emails.dry-run' ? answer === '200' : answer === '403 policy_refused'
