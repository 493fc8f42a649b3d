import fc from 'fast-check'
import type { Connection, ConnectionType, Graph, Rule, Step } from '../../src/features/automations/engine/graph.ts'
import type { Happening } from './automation-model-types.ts'

/** What the steps refer to, which must be there: a published template, a segment, and a contact property that is a text. */
export interface Surroundings {
  readonly template: string
  readonly segment: string
  readonly property: string
}

export const TRIGGER_EVENT = 'user.created'
/** Some waits are for the event that starts runs, and one name begins like another. */
const EVENT_NAMES = [TRIGGER_EVENT, 'order', 'order.paid'] as const
const DURATIONS = ['1 second', '10 minutes', '1 hour', '1 day', '1 week 5 days'] as const
const SECONDS = [1, 599, 600, 3_600, 86_400, 1_036_800]

const eventRule = fc.constantFrom<Rule>(
  { type: 'rule', field: 'event.plan', operator: 'eq', value: 'pro' },
  { type: 'rule', field: 'event.plan', operator: 'exists' },
  { type: 'rule', field: 'event.plan', operator: 'contains', value: 'r' },
  { type: 'rule', field: 'event.seats', operator: 'gte', value: 3 },
  { type: 'rule', field: 'event.name', operator: 'is_empty' },
)

/** A field may not be there, or be a number where a text is needed: then the run fails. */
const anyRule = (property: string) =>
  fc.oneof(
    eventRule,
    fc.constantFrom<Rule>(
      { type: 'rule', field: 'contact.first_name', operator: 'neq', value: null },
      { type: 'rule', field: 'contact.unsubscribed', operator: 'eq', value: true },
      { type: 'rule', field: `contact.properties.${property}`, operator: 'exists' },
      { type: 'rule', field: `contact.properties.${property}`, operator: 'starts_with', value: 'p' },
      { type: 'rule', field: 'wait_events.order.paid.seats', operator: 'lt', value: 3 },
    ),
  )

const ruleTree = (property: string): fc.Arbitrary<Rule> =>
  fc.oneof(
    { weight: 3, arbitrary: anyRule(property) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constantFrom('and' as const, 'or' as const),
        rules: fc.array(anyRule(property), { minLength: 1, maxLength: 3 }),
      }),
    },
  )

type Unkeyed = Step extends infer One ? (One extends Step ? Omit<One, 'key'> : never) : never

function anyStep({ template, segment, property }: Surroundings): fc.Arbitrary<Unkeyed> {
  const name = fc.constantFrom<string | null | { var: string }>('Ada', null, { var: 'event.name' })
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<Unkeyed>({ type: 'send_email', config: { template: { id: template } } }) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...DURATIONS).map((duration): Unkeyed => ({ type: 'delay', config: { duration } })),
    },
    {
      weight: 4,
      arbitrary: fc
        .record(
          {
            event_name: fc.constantFrom(...EVENT_NAMES),
            timeout: fc.constantFrom(...DURATIONS),
            filter_rule: eventRule,
          },
          { requiredKeys: ['event_name'] },
        )
        .map((config): Unkeyed => ({ type: 'wait_for_event', config })),
    },
    { weight: 3, arbitrary: ruleTree(property).map((config): Unkeyed => ({ type: 'condition', config })) },
    {
      weight: 2,
      arbitrary: fc
        .record(
          {
            first_name: name,
            unsubscribed: fc.boolean(),
            properties: fc.constantFrom('pro', null).map((value) => ({ [property]: value })),
          },
          { requiredKeys: [] },
        )
        .filter((config) => Object.keys(config).length > 0)
        .map((config): Unkeyed => ({ type: 'contact_update', config })),
    },
    { weight: 1, arbitrary: fc.constant<Unkeyed>({ type: 'add_to_segment', config: { segment_id: segment } }) },
    { weight: 1, arbitrary: fc.constant<Unkeyed>({ type: 'contact_delete', config: {} }) },
  )
}

interface Exit {
  readonly from: string
  readonly type: ConnectionType
}

function exitsOf({ key, type, config }: Step, isShort: boolean): Exit[] {
  const exit = (one: ConnectionType): Exit => ({ from: key, type: one })
  if (type === 'contact_delete') return []
  if (type === 'condition') return [exit('condition_met'), exit('condition_not_met')]
  if (type !== 'wait_for_event') return [exit('default')]
  const received = exit(isShort ? 'default' : 'event_received')
  return config.timeout === undefined ? [received] : [received, exit('timeout')]
}

/**
 * Valid graphs: each step hangs on an exit of an earlier one, and of the exits that are left some lead to later steps, so that
 * branches merge. Each shrinks to fewer steps. A contact_delete stands in no graph that waits for its own trigger: whether the one
 * event that deletes a contact makes another one is not what is asked.
 */
export function randomGraph(surroundings: Surroundings, mostSteps = 8): fc.Arbitrary<Graph> {
  const piece = fc.record({ step: anyStep(surroundings), hangsOn: fc.nat(), isShort: fc.boolean() })
  const merges = fc.array(fc.nat(mostSteps), { maxLength: mostSteps })
  return fc
    .record({ pieces: fc.array(piece, { maxLength: mostSteps, size: 'max' }), merges, isReversed: fc.boolean() })
    .map(({ pieces, merges, isReversed }) => {
      const steps: Step[] = [{ key: 'start', type: 'trigger', config: { event_name: TRIGGER_EVENT } }]
      const connections: Connection[] = []
      let exits: Exit[] = [{ from: 'start', type: 'default' }]
      for (const [index, { step, hangsOn, isShort }] of pieces.entries()) {
        const exit = exits[hangsOn % exits.length]
        if (!exit) break
        const keyed = { key: `${step.type}_${index + 1}`, ...step } as Step
        steps.push(keyed)
        connections.push({ ...exit, to: keyed.key })
        exits = [...exits.filter((one) => one !== exit), ...exitsOf(keyed, isShort)]
      }
      for (const [index, exit] of exits.entries()) {
        const at = steps.findIndex(({ key }) => key === exit.from)
        const target = steps[at + 1 + (merges[index] ?? mostSteps)]
        if (target) connections.push({ ...exit, to: target.key })
      }
      return { steps: isReversed ? steps.reverse() : steps, connections }
    })
    .filter(({ steps }) => !(steps.some(waitsForTrigger) && steps.some(({ type }) => type === 'contact_delete')))
    .map(withoutUnawaited)
}

const AWAITED = 'wait_events.order.paid.seats'

/** A rule about an event that no step before it waits for is refused: such a condition asks for something else. */
function withoutUnawaited({ steps, connections }: Graph): Graph {
  const isReceived = ({ from, type }: Connection) =>
    type !== 'timeout' &&
    steps.some(
      ({ key, type, config }) => key === from && type === 'wait_for_event' && AWAITED_NAMES.has(config.event_name),
    )
  const behind = new Set(connections.filter(isReceived).map(({ to }) => to))
  for (const key of behind) for (const { from, to } of connections) if (from === key) behind.add(to)
  const known = (rule: Rule): Rule =>
    rule.type === 'rule'
      ? rule.field === AWAITED
        ? { type: 'rule', field: 'event.seats', operator: 'lt', value: 3 }
        : rule
      : { ...rule, rules: rule.rules.map(known) }
  const allowed = (step: Step): Step =>
    step.type === 'condition' && !behind.has(step.key) ? { ...step, config: known(step.config) } : step
  return { steps: steps.map(allowed), connections }
}

/** Of both the rule may speak: names hold dots, as paths do. */
const AWAITED_NAMES = new Set<string>(['order', 'order.paid'])

const waitsForTrigger = ({ type, config }: Step) => type === 'wait_for_event' && config.event_name === TRIGGER_EVENT

/** `name` is always there; the others are what rules stumble over. */
const payload = fc.record(
  { name: fc.constantFrom('Ada', ''), plan: fc.constantFrom('pro', 'free', 5, null), seats: fc.constantFrom(1, 3, 10) },
  { requiredKeys: ['name'] },
)

const event = (name: fc.Arbitrary<string>) => fc.record({ type: fc.constant('event' as const), name, payload })

/** An event that starts a run. */
export const triggerEvent: fc.Arbitrary<Happening> = event(fc.constant(TRIGGER_EVENT))

/** Of a contact, and of time. */
export const anyHappening = (property: string): fc.Arbitrary<Happening> =>
  fc.oneof(
    { weight: 5, arbitrary: event(fc.constantFrom(...EVENT_NAMES, 'nobody.waits')) },
    {
      weight: 5,
      arbitrary: fc.record({ type: fc.constant('pass' as const), seconds: fc.constantFrom(...SECONDS) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('change_contact' as const),
        changes: fc.constantFrom(
          { unsubscribed: true },
          { unsubscribed: false },
          { first_name: null },
          { properties: { [property]: 'plus' } },
          { properties: {} },
        ),
      }),
    },
    { weight: 1, arbitrary: fc.constant<Happening>({ type: 'delete_contact' }) },
  )

/** It begins with an event that starts a run. */
export const randomHappenings = (property: string, most = 12): fc.Arbitrary<Happening[]> =>
  fc.tuple(triggerEvent, fc.array(anyHappening(property), { maxLength: most })).map(([first, rest]) => [first, ...rest])
