// What can be done to a scenario, as a value. What stands in the form is the scenario itself: an empty field is an empty text in it, and
// the API says so when it is saved.
import type { Rule, Scenario } from '../../../../../src/features/sandboxes/scenario/schema.ts'
import { texts } from '../texts.ts'

export type { Rule, Scenario }
export type Match = NonNullable<Rule['match']>
export type Outcome = Rule['outcome']
export type WebhookRule = NonNullable<Scenario['webhooks']>[number]
export type Refusals = NonNullable<Scenario['smtp']>
export type Refusal = NonNullable<Refusals['mail']>

/** Decide about the delivery; one of them at most. */
export const DECISIONS = ['reply', 'delayed', 'connection_lost', 'greylisted'] as const
export type Decision = (typeof DECISIONS)[number]

/** Follow a delivery; as many as one likes. */
export const CONSEQUENCES = ['bounced', 'complained', 'opened', 'clicked', 'unsubscribed', 'replied'] as const
export type Consequence = (typeof CONSEQUENCES)[number]

const FIRST_DECISIONS: Required<Pick<Outcome, Decision>> = {
  reply: '550 5.1.1 no such user',
  delayed: '1 hour',
  connection_lost: 'before_data',
  greylisted: 1,
}

const FIRST_CONSEQUENCES: Required<Pick<Outcome, Consequence>> = {
  bounced: { after: '10 minutes' },
  complained: { after: '1 day' },
  opened: { after: '5 minutes', by: 'person' },
  clicked: { after: '6 minutes', by: 'person' },
  unsubscribed: { after: '1 day' },
  replied: { after: '1 hour', text: texts.followUps.replyTextDefault },
}

export const decisionOf = (outcome: Outcome): Decision | null =>
  DECISIONS.find((name) => outcome[name] !== undefined) ?? null

export const consequencesOf = (outcome: Outcome): readonly Consequence[] =>
  CONSEQUENCES.filter((name) => outcome[name] !== undefined)

/** Null: the mail is taken, and something follows from it. */
export function decide(outcome: Outcome, decision: Decision | null): Outcome {
  const { reply: _, delayed: __, connection_lost: ___, greylisted: ____, ...rest } = outcome
  return decision === null ? rest : { [decision]: FIRST_DECISIONS[decision], ...rest }
}

export const addConsequence = (outcome: Outcome, name: Consequence): Outcome => ({
  ...outcome,
  [name]: FIRST_CONSEQUENCES[name],
})

/** Without it, and with a decision when nothing else is left. */
export function dropConsequence(outcome: Outcome, name: Consequence): Outcome {
  const rest = without(outcome, name)
  return Object.keys(rest).length > 0 ? rest : decide({}, 'reply')
}

/** The value without one of its fields. */
export function without<Value extends object>(value: Value, name: keyof Value): Value {
  const { [name]: _, ...rest } = value
  return rest as Value
}

/** What is undefined is left out. */
export const withField = <Value extends object, Name extends keyof Value>(
  value: Value,
  name: Name,
  field: Value[Name] | undefined,
): Value => (field === undefined ? without(value, name) : { ...value, [name]: field })

/** An item changes places with the one before or after it. */
export function moved<Item>(items: readonly Item[], at: number, by: 1 | -1): Item[] {
  const [one, other] = [items[at], items[at + by]]
  if (one === undefined || other === undefined) return [...items]
  return items.with(at, other).with(at + by, one)
}

/** What is common, to begin with. */
export const PRESETS: readonly { readonly label: string; readonly rule: Rule }[] = [
  {
    label: texts.presets.rejected,
    rule: { match: { to: '*@example.com' }, outcome: { reply: '550 5.1.1 no such user' } },
  },
  {
    label: texts.presets.deferred,
    rule: { match: { attempt: { at_most: 2 } }, outcome: { reply: '452 4.2.2 mailbox full' } },
  },
  { label: texts.presets.greylisted, rule: { outcome: { greylisted: 1 } } },
  { label: texts.presets.delayed, rule: { outcome: { delayed: '1 hour' } } },
  {
    label: texts.presets.connectionLost,
    rule: { match: { probability: 0.1 }, outcome: { connection_lost: 'after_data' } },
  },
  { label: texts.presets.bounced, rule: { outcome: { bounced: FIRST_CONSEQUENCES.bounced } } },
  { label: texts.presets.complained, rule: { outcome: { complained: FIRST_CONSEQUENCES.complained } } },
  {
    label: texts.presets.openedAndClicked,
    rule: { outcome: { opened: FIRST_CONSEQUENCES.opened, clicked: FIRST_CONSEQUENCES.clicked } },
  },
  { label: texts.presets.unsubscribed, rule: { outcome: { unsubscribed: FIRST_CONSEQUENCES.unsubscribed } } },
  { label: texts.presets.replied, rule: { outcome: { replied: FIRST_CONSEQUENCES.replied } } },
]

/** Empty parts are left out: that is how a scenario is written into a test. */
export const asWritten = ({ rules = [], webhooks = [], smtp = {} }: Scenario): Scenario => ({
  ...(rules.length > 0 && { rules }),
  ...(webhooks.length > 0 && { webhooks }),
  ...(Object.keys(smtp).length > 0 && { smtp }),
})

/** Which field the API complains about: `rules[0].outcome.reply`. Null: about none, or about no field that it names. */
export const fieldIn = (message: string): string | null => /`([\w.[\]]+)`/.exec(message)?.[1] ?? null

/** What is wrong, without the name of the field where it is shown beside it. */
export const reasonIn = (message: string) => message.replace(/^Invalid `[^`]+` field\. /, '')
