// What an automation is made of, as it is kept: checked, durations normalised. Field names are those of the wire.

export type ConnectionType = 'default' | 'condition_met' | 'condition_not_met' | 'timeout' | 'event_received'

/** Something that is filled in when the step runs: `event.plan`, `contact.first_name`, `wait_events.order.paid.total`. */
export interface Variable {
  readonly var: string
}

export type Scalar = string | number | boolean

export type Rule =
  | { readonly type: 'and' | 'or'; readonly rules: readonly Rule[] }
  | {
      readonly type: 'rule'
      readonly field: string
      readonly operator: Operator
      readonly value?: Scalar | null
    }

export const OPERATORS = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'starts_with',
  'ends_with',
  'exists',
  'is_empty',
] as const
export type Operator = (typeof OPERATORS)[number]

/** A value of a template's variable: flat objects and lists of them, and variables anywhere in it. */
export type TemplateValue = Scalar | Variable | Readonly<Record<string, unknown>> | readonly unknown[]

export interface SendEmail {
  readonly template: { readonly id: string; readonly variables?: Readonly<Record<string, TemplateValue>> }
  readonly subject?: string
  readonly from?: string
  readonly reply_to?: string
}

export interface ContactUpdate {
  readonly first_name?: string | null | Variable
  readonly last_name?: string | null | Variable
  readonly unsubscribed?: boolean | Variable
  readonly properties?: Readonly<Record<string, Scalar | null | Variable>>
}

interface Configs {
  trigger: { readonly event_name: string }
  delay: { readonly duration: string }
  send_email: SendEmail
  wait_for_event: { readonly event_name: string; readonly timeout?: string; readonly filter_rule?: Rule }
  condition: Rule
  contact_update: ContactUpdate
  contact_delete: Readonly<Record<string, never>>
  add_to_segment: { readonly segment_id: string }
}

export type StepType = keyof Configs

export type StepOf<Type extends StepType> = Type extends StepType
  ? { readonly key: string; readonly type: Type; readonly config: Configs[Type] }
  : never
export type Step = StepOf<StepType>

export interface Connection {
  readonly from: string
  readonly to: string
  readonly type: ConnectionType
}

export interface Graph {
  readonly steps: readonly Step[]
  readonly connections: readonly Connection[]
}

/**
 * The keys of the steps in an order in which each comes after all that lead to it; those that do not depend on each other stay in
 * the order given. Steps of a circle, and what comes after one, are left out. At 150 steps it looks at 11,000 of them
 * at most.
 */
export function graphOrder({ steps, connections }: Pick<Graph, 'steps' | 'connections'>): string[] {
  const before = new Map(steps.map(({ key }) => [key, 0]))
  const behind = new Map<string, string[]>(steps.map(({ key }) => [key, []]))
  for (const { from, to } of connections) {
    before.set(to, before.get(to)! + 1)
    behind.get(from)!.push(to)
  }
  const order: string[] = []
  const open = steps.map(({ key }) => key)
  for (;;) {
    const at = open.findIndex((key) => before.get(key) === 0)
    if (at < 0) return order
    const [key] = open.splice(at, 1) as [string]
    order.push(key)
    for (const next of behind.get(key)!) before.set(next, before.get(next)! - 1)
  }
}
