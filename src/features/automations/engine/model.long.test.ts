import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startWithTemplate } from '../../../../test/harness/automated.ts'
import { simulate } from '../../../../test/harness/automation-model.ts'
import type { ModelContact } from '../../../../test/harness/automation-model-types.ts'
import {
  expectedRuns,
  isOfAll,
  type Play,
  play,
  playedContact,
  playedEmails,
  playedRuns,
  randomPlay,
} from '../../../../test/harness/automation-play.ts'
import { seededRandom } from '../../../../test/harness/random.ts'

const [CASES, MINUTES] = process.env.POSTWREN_TEST_NIGHT ? [1_000, 10] : [25, 1]
/** With room for the last case. */
const TIMEOUT = MINUTES * 60_000 + 30_000
const ADA: ModelContact = { first_name: 'Ada', last_name: null, unsubscribed: false, properties: {} }
const PEOPLE: readonly (ModelContact | null)[] = [ADA, null]

test(
  'whatever happens, and wherever it crashes, the engine does what the model does',
  async () => {
    const { app, acme, template } = await startWithTemplate()
    await acme.post('/contact-properties', { key: 'plan', type: 'string' })
    const segment = (await acme.post('/segments', { name: 'Pros' })).body.id
    const end = performance.now() + MINUTES * 60_000
    let cases = 0
    let runs = 0

    const holds = async ({ graph, oncePerContact, turns }: Play) => {
      // Here and not by fast-check, which would leave in the middle of a case.
      if (performance.now() > end) return
      const emails = PEOPLE.map((_, who) => `person${who}-${cases}@example.com`)
      cases++
      for (const [who, contact] of PEOPLE.entries())
        if (contact) await acme.post('/contacts', { ...contact, email: emails[who] })
      const steps = graph.steps.map((step) =>
        step.type === 'send_email' ? { ...step, config: { ...step.config, subject: step.key } } : step,
      )
      const body = { name: 'Play', status: 'enabled', steps, connections: graph.connections }
      const automation = (await acme.post('/automations', body)).body.id
      await acme.patch(`/automations/${automation}/settings`, { once_per_contact: oncePerContact })
      try {
        const told = await play(app, acme, automation, turns, emails)
        const expected = emails.map((email, who) => {
          const own = told.filter((one) => one.who === who || isOfAll(one.action)).map(({ action }) => action)
          return simulate(graph, own, { email, contact: PEOPLE[who]!, oncePerContact, looks: 'when_told' })
        })

        expect(await playedRuns(acme, automation, graph)).toEqual(expectedRuns(expected, graph))
        runs += expected.flatMap((one) => one.runs).length
        const sent = expected.flatMap((one, who) => one.emails.map(([, key]) => `${key} to ${emails[who]}`))
        expect(await playedEmails(app, acme.team, emails)).toEqual(sent.sort())
        expect(await Promise.all(emails.map((email) => playedContact(acme, email)))).toEqual(
          expected.map(({ contact }) => contact),
        )
      } finally {
        await acme.delete(`/automations/${automation}`)
        await app.runAutomations()
      }
    }
    const plays = randomPlay({ template, segment, property: 'plan' }, PEOPLE.length)
    const seed = seededRandom().below(2 ** 31)
    await fc.assert(fc.asyncProperty(plays, holds), { numRuns: CASES, seed })
    if (cases === CASES) expect(runs).toBeGreaterThan(CASES / 2)
  },
  TIMEOUT,
)
