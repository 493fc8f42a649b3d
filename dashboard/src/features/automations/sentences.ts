import type { Rule, Variable } from '../../../../src/features/automations/engine/graph.ts'
import type { Step } from './graph.ts'
import { texts } from './texts.ts'

/** What templates and segments are called. */
export interface Names {
  readonly template: (id: string) => string | undefined
  readonly segment: (id: string) => string | undefined
}

const MISSING = texts.sentences.missing
const SYSTEM = /^resend:email\.(\w+)$/

/** `an email is opened`, `user.created happens`. */
export function eventText(event: string): string {
  const [, what] = SYSTEM.exec(event) ?? []
  if (what === 'failed') return texts.events.emailFailed
  if (what === 'complained') return texts.events.emailComplained
  return what ? texts.events.email(what) : texts.events.custom(event || MISSING)
}

/** What a step does, as one would say it. */
export function sentenceOf(step: Step, names: Names): string {
  switch (step.type) {
    case 'trigger':
      return texts.sentences.trigger(eventText(step.config.event_name))
    case 'delay':
      return texts.sentences.delay(step.config.duration || MISSING)
    case 'send_email':
      return texts.sentences.sendEmail(quoted(step.config.template.id, names.template))
    case 'wait_for_event':
      return step.config.timeout
        ? texts.sentences.waitForEventAtMost(eventText(step.config.event_name), step.config.timeout)
        : texts.sentences.waitForEvent(eventText(step.config.event_name))
    case 'condition':
      return texts.sentences.condition(ruleInWords(step.config))
    case 'contact_update':
      return texts.sentences.updateContact(changedFields(step.config).join(', ') || MISSING)
    case 'contact_delete':
      return texts.sentences.deleteContact
    case 'add_to_segment':
      return texts.sentences.addToSegment(quoted(step.config.segment_id, names.segment))
  }
}

const quoted = (id: string, nameOf: (id: string) => string | undefined) =>
  id ? texts.sentences.name(nameOf(id) ?? id) : MISSING

function changedFields({ properties = {}, ...fields }: Extract<Step, { type: 'contact_update' }>['config']) {
  return [...Object.keys(fields).map((field) => field.replace('_', ' ')), ...Object.keys(properties)]
}

export function ruleInWords(rule: Rule, isInner = false): string {
  if (rule.type === 'rule') {
    const asks = rule.operator === 'exists' || rule.operator === 'is_empty'
    return [
      rule.field || MISSING,
      texts.rules.operators[rule.operator],
      ...(asks ? [] : [valueInWords(rule.value)]),
    ].join(' ')
  }
  const parts = rule.rules.map((one) => ruleInWords(one, true))
  const all = parts.join(` ${texts.rules[rule.type]} `) || MISSING
  return isInner && parts.length > 1 ? `(${all})` : all
}

const valueInWords = (value: unknown) => (value === null ? texts.rules.null : value === '' ? MISSING : String(value))

export const isVariable = (value: unknown): value is Variable =>
  typeof value === 'object' && value !== null && typeof (value as Variable).var === 'string'
