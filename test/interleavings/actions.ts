import fc from 'fast-check'
import type { StatementFault } from './gated-database.ts'
import type { ServerOutcome } from './outside-world.ts'

export const NODES = 3

/** What happens in a run. Each begins when the scheduler says so, and goes on from barrier to barrier. */
export type Action =
  | { readonly type: 'accept'; readonly node: number; readonly email: EmailPlan }
  | { readonly type: 'cancel' | 'delete'; readonly node: number; readonly email: number }
  | { readonly type: 'crash' | 'start' | 'lapse' | 'heartbeat'; readonly node: number }
  /** One node calls another one dead. */
  | { readonly type: 'expire'; readonly node: number; readonly other: number }
  | { readonly type: 'fail'; readonly node: number; readonly fault: StatementFault }
  | { readonly type: 'pass'; readonly seconds: number }

export interface EmailPlan {
  readonly recipients: number
  readonly outcomes: readonly ServerOutcome[]
  readonly isScheduled: boolean
  /** Of a team that has a quota: it is accepted in a transaction. */
  readonly isLimited: boolean
}

const node = fc.nat({ max: NODES - 1 })
const email = fc.nat({ max: 5 })

const emailPlan: fc.Arbitrary<EmailPlan> = fc.record({
  recipients: fc.integer({ min: 1, max: 2 }),
  outcomes: fc.array(fc.constantFrom<ServerOutcome>('taken', 'taken', 'refused', 'deferred', 'lost'), { maxLength: 2 }),
  isScheduled: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
  isLimited: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
})

const accept = fc.record({ type: fc.constant('accept' as const), node, email: emailPlan })

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: accept },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('cancel' as const, 'delete' as const), node, email }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('crash' as const), node }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('start' as const), node }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('lapse' as const), node }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('heartbeat' as const), node }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('expire' as const), node, other: node }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('fail' as const),
      node,
      fault: fc.constantFrom<StatementFault>('refused', 'unanswered', 'late'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 3 }) }) },
)

/** Some mail first, or nothing is in flight when something goes wrong. In all less time than a claim that was given up on may still be executed in. */
export const actions: fc.Arbitrary<Action[]> = fc
  .tuple(
    fc.array(accept, { minLength: 2, maxLength: 3, size: 'max' }),
    fc.array(action, { minLength: 6, maxLength: 14, size: 'max' }),
  )
  .map(([mail, others]) => [...mail, ...others])
