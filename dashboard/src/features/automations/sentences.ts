import type { Operator, Rule, Variable } from '../../../../src/features/automations/engine/graph.ts'
import type { ConnectionType, Step, StepType } from './graph.ts'
import { texts } from './texts.ts'

/** What templates and segments are called. */
export interface Names {
  readonly template: (id: string) => string | undefined
  readonly segment: (id: string) => string | undefined
}

export const STEP_NAMES: Readonly<Record<StepType, string>> = {
  trigger: texts.trigger,
  send_email: texts.sendEmail,
  delay: texts.delay,
  wait_for_event: texts.waitEvent,
  condition: texts.condition,
  contact_update: texts.updateContact,
  contact_delete: texts.deleteContact,
  add_to_segment: texts.addSegment,
}

export const OUTLET_NAMES: Readonly<Record<ConnectionType, string>> = {
  default: 'then',
  condition_met: 'yes',
  condition_not_met: 'no',
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
  exists: 'exists',
  is_empty: 'is empty',
}

const SYSTEM = /^resend:email\.(\w+)$/

/** `an email is opened`, `user.created happens`. */
export function eventText(event: string): string {
  const [, what] = SYSTEM.exec(event) ?? []
  if (what === 'failed') return texts.emailFails
  if (what === 'complained') return texts.emailMarkedAsSpam
  return what ? texts.email(what) : `${event || '…'} happens`
}

/** What a step does, as one would say it. */
export function sentenceOf(step: Step, names: Names): string {
  switch (step.type) {
    case 'trigger':
      return texts.when(eventText(step.config.event_name))
    case 'delay':
      return texts.wait(step.config.duration || '…')
    case 'send_email':
      return texts.send(quoted(step.config.template.id, names.template))
    case 'wait_for_event':
      return `Wait until ${eventText(step.config.event_name)}${step.config.timeout ? `, at most ${step.config.timeout}` : ''}`
    case 'condition':
      return texts.if(ruleInWords(step.config))
    case 'contact_update':
      return texts.set(changedFields(step.config).join(', ') || '…')
    case 'contact_delete':
      return texts.deleteContact
    case 'add_to_segment':
      return texts.add(quoted(step.config.segment_id, names.segment))
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

const valueInWords = (value: unknown) => (value === null ? 'null' : value === '' ? '…' : String(value))

export const isVariable = (value: unknown): value is Variable =>
  typeof value === 'object' && value !== null && typeof (value as Variable).var === 'string'
