import Type from 'typebox'
import { fieldsOf } from '../../kernel/http/columns.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { ABSENT_IF_EMPTY, Id } from '../../kernel/http/shapes.ts'
import { addressMessage, validate } from '../../kernel/http/validate.ts'
import { parseMailbox } from '../../mail/address.ts'
import { LONGEST_SUBJECT } from '../../mail/limits.ts'
import { LONGEST_SECONDS, normalDuration, parseDuration } from '../../platform/duration.ts'
import { LONGEST_VALUE } from '../contact-properties/schema.ts'
import { LONGEST_NAME } from '../contacts/schema.ts'
import { EventItem } from '../events/schema.ts'
import type { ContactUpdate, SendEmail, Step, StepOf, StepType } from './engine/graph.ts'
import { isVariable } from './engine/values.ts'
import { ALL_ROOTS, checkRule, invalid, type Root, requireReference } from './rule-check.ts'
import { type StepShape, SYSTEM_EVENTS } from './schema.ts'

// What the config of each kind of step must be. What the database knows, whether there is such a template for instance, is not asked here.

const MOST_VARIABLES = 50
const MOST_PROPERTIES = 100
const MOST_ITEMS = 1_000

/** Words for what a schema alone would call an object. */
const expected = (words: string) => ({ 'x-expected': words })
/** No name of a key escapes: the pattern of a record matches no line break. */
const CLOSED = { additionalProperties: false }

const A_VARIABLE = 'a variable like `{"var": "event.plan"}`'
const Variable = Type.Object({ var: Type.String() }, { ...CLOSED, ...expected(A_VARIABLE) })

const text = Type.String({ maxLength: LONGEST_VALUE })
const scalars = [text, Type.Number(), Type.Boolean()] as const
const event_name = EventItem.properties.name
const A_TEMPLATE_VALUE = `a string of at most ${LONGEST_VALUE} characters, a number, \`true\` or \`false\`, ${A_VARIABLE}, a flat object, or a list of at most ${MOST_ITEMS} of these`
const A_DURATION = 'a duration like `30 minutes` or `3 days`, from 1 second to 30 days'
const duration = Type.String(expected(A_DURATION))
const name = Type.Optional(Type.Union([Type.String({ maxLength: LONGEST_NAME }), Type.Null(), Variable]))

const Trigger = Type.Object({ event_name })
const Delay = Type.Object({ duration })
const Wait = Type.Object({
  event_name,
  timeout: Type.Optional(duration),
  filter_rule: Type.Optional(Type.Unknown()),
})
const Template = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255 }),
  variables: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      ...CLOSED,
      maxProperties: MOST_VARIABLES,
      ...expected(`an object of at most ${MOST_VARIABLES} values`),
    }),
  ),
})
const mailbox = Type.Optional(Type.String(ABSENT_IF_EMPTY))
const Sending = Type.Object({
  template: Template,
  subject: Type.Optional(Type.String({ ...ABSENT_IF_EMPTY, maxLength: LONGEST_SUBJECT })),
  from: mailbox,
  reply_to: mailbox,
})
const Update = Type.Object({
  first_name: name,
  last_name: name,
  unsubscribed: Type.Optional(Type.Union([Type.Boolean(), Variable])),
  properties: Type.Optional(
    Type.Record(Type.String(), Type.Union([...scalars, Type.Null(), Variable]), {
      ...CLOSED,
      maxProperties: MOST_PROPERTIES,
      ...expected(`an object of at most ${MOST_PROPERTIES} values`),
    }),
  ),
})
const UPDATED = Object.keys(Update.properties)
const Segment = Type.Object({ segment_id: Id })

const CHECKS: { [Kind in StepType]: (given: unknown, path: string) => StepOf<Kind>['config'] } = {
  trigger: (given, path) => ({ event_name: eventName(validate(Trigger, given, 'body', path).event_name, path) }),
  delay: (given, path) => ({
    duration: normalised(validate(Delay, given, 'body', path).duration, `${path}.duration`),
  }),
  send_email: checkSending,
  wait_for_event: checkWait,
  condition: (given, path) => checkRule(given, path, ALL_ROOTS),
  contact_update: checkUpdate,
  contact_delete: () => ({}),
  add_to_segment: (given, path) => ({ segment_id: validate(Segment, given, 'body', path).segment_id }),
}

/** The step with the known fields of its config, durations normalised. */
export const checkConfig = ({ key, type, config }: StepShape): Step =>
  ({ key, type, config: CHECKS[type](config, `steps.${key}.config`) }) as Step

function checkSending(given: unknown, path: string): SendEmail {
  const { template, ...rest } = fieldsOf(Sending, validate(Sending, given, 'body', path))
  for (const field of ['from', 'reply_to'] as const)
    if (rest[field] !== undefined && !parseMailbox(rest[field]))
      throw new Problem('validation_error', addressMessage(`${path}.${field}`, 'mailbox'))
  for (const [name, value] of Object.entries(template.variables ?? {}))
    requireTemplateValue(value, `${path}.template.variables.${name}`)
  return { template: fieldsOf(Template, template), ...rest } as SendEmail
}

// By hand: a megabyte of values takes a schema with its alternatives several times as long.
function requireTemplateValue(value: unknown, path: string) {
  const isItem = (item: unknown) => isScalar(item) || isFlatObject(item)
  const isKnown = Array.isArray(value) ? value.length <= MOST_ITEMS && value.every(isItem) : isItem(value)
  if (!isKnown) throw invalid(path, `It must be ${A_TEMPLATE_VALUE}.`)
  requireReferences(value, path, ALL_ROOTS)
}

const isScalar = (value: unknown) =>
  typeof value === 'string' ? value.length <= LONGEST_VALUE : typeof value === 'number' || typeof value === 'boolean'

const isFlatObject = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((inner) => isScalar(inner) || isVariable(inner))

function checkWait(given: unknown, path: string): StepOf<'wait_for_event'>['config'] {
  const { event_name, timeout, filter_rule } = validate(Wait, given, 'body', path)
  return {
    event_name: eventName(event_name, path),
    ...(timeout === undefined ? {} : { timeout: normalised(timeout, `${path}.timeout`) }),
    ...(filter_rule === undefined ? {} : { filter_rule: checkRule(filter_rule, `${path}.filter_rule`, ['event']) }),
  }
}

function checkUpdate(given: unknown, path: string): ContactUpdate {
  const update = fieldsOf(Update, validate(Update, given, 'body', path))
  requireReferences(update, path, ['event', 'contact'])
  const { properties, ...fields } = update
  if (Object.keys({ ...fields, ...properties }).length === 0)
    throw invalid(path, `It must have one of ${UPDATED.map((field) => `\`${field}\``).join(', ')}.`)
  return update as ContactUpdate
}

/** Of all variables in a value of three levels. */
function requireReferences(value: unknown, path: string, roots: readonly Root[]) {
  if (isVariable(value)) return requireReference(value.var, `${path}.var`, roots)
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    requireReferences(inner, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, roots)
}

const isSystemEvent = (name: string) => SYSTEM_EVENTS.some((known) => known === name)

function eventName(name: string, path: string): string {
  if (!name.startsWith('resend:') || isSystemEvent(name)) return name
  const known = SYSTEM_EVENTS.map((event) => `\`${event}\``).join(', ')
  throw invalid(`${path}.event_name`, `Of the names that begin with \`resend:\` it can be one of ${known}.`)
}

function normalised(text: string, path: string): string {
  const seconds = parseDuration(text)
  if (seconds === null || seconds < 1 || seconds > LONGEST_SECONDS) throw invalid(path, `It must be ${A_DURATION}.`)
  return normalDuration(seconds)
}
