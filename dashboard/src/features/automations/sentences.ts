import type { Operator, Rule, Variable } from '../../../../src/features/automations/engine/graph.ts'
import type { ConnectionType, Step, StepType } from './graph.ts'

/** What templates and segments are called. */
export interface Names {
  readonly template: (id: string) => string | undefined
  readonly segment: (id: string) => string | undefined
}

export const STEP_NAMES: Readonly<Record<StepType, string>> = {
  trigger: 'Trigger',
  send_email: 'Send an email',
  delay: 'Wait a while',
  wait_for_event: 'Wait for an event',
  condition: 'Decide',
  contact_update: 'Change the contact',
  contact_delete: 'Delete the contact',
  add_to_segment: 'Add to a segment',
}

export const OUTLET_NAMES: Readonly<Record<ConnectionType, string>> = {
  default: 'then',
  condition_met: 'met',
  condition_not_met: 'not met',
  event_received: 'received',
  timeout: 'timeout',
}

export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  eq: 'is',
  neq: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'contains',
  starts_with: 'starts with',
  ends_with: 'ends with',
  exists: 'is there',
  is_empty: 'is empty',
}

const SYSTEM = /^resend:email\.(\w+)$/

/** `an email is opened`, `user.created happens`. */
export function happening(event: string): string {
  const [, what] = SYSTEM.exec(event) ?? []
  if (what === 'failed') return 'an email fails'
  if (what === 'complained') return 'an email is called spam'
  return what ? `an email is ${what}` : `${event || '…'} happens`
}

/** What a step does, as one would say it. */
export function sentenceOf(step: Step, names: Names): string {
  switch (step.type) {
    case 'trigger':
      return `When ${happening(step.config.event_name)}`
    case 'delay':
      return `Wait ${step.config.duration || '…'}`
    case 'send_email':
      return `Send ${quoted(step.config.template.id, names.template)}`
    case 'wait_for_event':
      return `Wait until ${happening(step.config.event_name)}${step.config.timeout ? `, at most ${step.config.timeout}` : ''}`
    case 'condition':
      return `If ${ruleInWords(step.config)}`
    case 'contact_update':
      return `Set ${changedFields(step.config).join(', ') || '…'}`
    case 'contact_delete':
      return 'Delete the contact'
    case 'add_to_segment':
      return `Add to ${quoted(step.config.segment_id, names.segment)}`
  }
}

const quoted = (id: string, nameOf: (id: string) => string | undefined) => (id ? `‘${nameOf(id) ?? id}’` : '…')

function changedFields({ properties = {}, ...fields }: Extract<Step, { type: 'contact_update' }>['config']) {
  return [...Object.keys(fields).map((field) => field.replace('_', ' ')), ...Object.keys(properties)]
}

export function ruleInWords(rule: Rule, isInner = false): string {
  if (rule.type === 'rule') {
    const asks = rule.operator === 'exists' || rule.operator === 'is_empty'
    return [rule.field || '…', OPERATOR_WORDS[rule.operator], ...(asks ? [] : [valueInWords(rule.value)])].join(' ')
  }
  const parts = rule.rules.map((one) => ruleInWords(one, true))
  const all = parts.join(` ${rule.type} `) || '…'
  return isInner && parts.length > 1 ? `(${all})` : all
}

const valueInWords = (value: unknown) => (value === null ? 'nothing' : value === '' ? '…' : String(value))

export const isVariable = (value: unknown): value is Variable =>
  typeof value === 'object' && value !== null && typeof (value as Variable).var === 'string'
