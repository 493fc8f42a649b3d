import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type StagedSandbox, startStage } from '../../../../test/harness/staged.ts'

// The clock against a model of it: a list of moments.

const MINUTE = 60_000

/** In minutes of the sandbox. */
type Act =
  | { readonly kind: 'schedule'; readonly in: number }
  | { readonly kind: 'advance'; readonly by: number }
  | { readonly kind: 'freeze'; readonly isFrozen: boolean }
  /** Real time goes on. */
  | { readonly kind: 'wait'; readonly for: number }
  | { readonly kind: 'cancel' }

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('schedule' as const), in: fc.integer({ min: 1, max: 600 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('advance' as const), by: fc.integer({ min: 0, max: 400 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('freeze' as const), isFrozen: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), for: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'cancel' as const }) },
)

/** What ought to happen: when each mail leaves, and what time it is. */
class Model {
  now: number
  isFrozen = false
  /** Whether the sandbox has a time of its own. */
  waiting: { id: string; at: number }[] = []

  constructor(now: number) {
    this.now = now
  }

  /** Those that leave until then, in order. */
  goTo(moment: number): { id: string; at: number }[] {
    const due = this.waiting.filter(({ at }) => at <= moment).sort((a, b) => a.at - b.at)
    this.waiting = this.waiting.filter(({ at }) => at > moment)
    this.now = moment
    return due
  }
}

test('whatever is scheduled, canceled, advanced and frozen, mail leaves in order and at its moment', async () => {
  const { app, sandbox } = await startStage()
  await app.startWorkers()

  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 14 }), async (acts) => {
      await play(await sandbox(), app.clock, acts)
    }),
    { numRuns: process.env.POSTWREN_TEST_NIGHT ? 200 : 6, ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
  )
})

async function play(box: StagedSandbox, clock: { now(): Date; advance(seconds: number): void }, acts: readonly Act[]) {
  // From the first on it has a time of its own: what real time brings is another test's business.
  const model = new Model(clock.now().getTime())
  await box.patch('/clock', { advance: '0 seconds' })
  for (const one of acts) {
    switch (one.kind) {
      case 'schedule': {
        const at = model.now + one.in * MINUTE
        model.waiting.push({ id: await box.mail({ scheduled_at: new Date(at).toISOString() }), at })
        break
      }
      case 'cancel': {
        const last = model.waiting.pop()
        if (last) expect((await box.post(`/emails/${last.id}/cancel`)).status).toBe(200)
        break
      }
      case 'freeze':
        await box.patch('/clock', { is_frozen: one.isFrozen })
        model.isFrozen = one.isFrozen
        break
      case 'wait':
        // While nothing is due: a clock that runs makes it due by itself, and nobody waits for that here.
        if (model.isFrozen || !model.waiting.some(({ at }) => at <= model.now + one.for * MINUTE)) {
          clock.advance(one.for * 60)
          if (!model.isFrozen) model.goTo(model.now + one.for * MINUTE)
        }
        break
      case 'advance': {
        const { status, body, text } = await box.patch('/clock', { advance: `${one.by} minutes` })
        expect(status, text).toBe(200)
        const expected = model.goTo(model.now + one.by * MINUTE)
        const left = body.happened.filter(({ type }: { type: string }) => type === 'email.delivered')
        const told = left.map(({ id, at }: { id: string; at: string }) => ({ id, at: Date.parse(at) }))
        expect(byMoment(told)).toEqual(byMoment(expected))
        expect(body.steps).toBe(new Set(expected.map(({ at }) => at)).size)
      }
    }
    expect((await box.get('/clock')).body).toMatchObject({
      now: new Date(model.now).toISOString(),
      is_frozen: model.isFrozen,
    })
  }
}

/** Of one moment any may be first. */
const byMoment = (mails: readonly { id: string; at: number }[]) =>
  mails
    .map(({ id, at }, index) => ({ id, at, index }))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    .map(({ id, at }) => ({ id, at }))
