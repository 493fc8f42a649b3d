import type { FIELD_TYPES } from '../../../../src/features/events/schema.ts'
import { type Graph, reachedFrom } from './graph.ts'

/** Something that is filled in when a step runs, and what it is if that is known. */
export interface Offer {
  readonly name: string
  readonly type?: FieldType | undefined
}

export type FieldType = (typeof FIELD_TYPES)[number]

/** What is known of events and contacts. */
export interface Knowledge {
  readonly schemaOf: (event: string) => Readonly<Record<string, FieldType>>
  readonly properties: readonly Offer[]
}

const CONTACT: readonly Offer[] = [
  { name: 'contact.email', type: 'string' },
  { name: 'contact.first_name', type: 'string' },
  { name: 'contact.last_name', type: 'string' },
  { name: 'contact.unsubscribed', type: 'boolean' },
  { name: 'contact.id', type: 'string' },
  { name: 'contact.created_at', type: 'date' },
]

const fieldsOf = (knowledge: Knowledge, event: string, beginning: string): Offer[] =>
  Object.entries(knowledge.schemaOf(event)).map(([field, type]) => ({ name: `${beginning}.${field}`, type }))

/** What a rule about an event that is waited for can ask about. */
export const filterOffers = (knowledge: Knowledge, event: string) => fieldsOf(knowledge, event, 'event')

/** What the values of a contact can be taken from. */
export function contactOffers(graph: Graph, knowledge: Knowledge): Offer[] {
  const trigger = graph.steps.find(({ type }) => type === 'trigger')
  return [
    ...(trigger?.type === 'trigger' ? fieldsOf(knowledge, trigger.config.event_name, 'event') : []),
    ...CONTACT,
    ...knowledge.properties,
  ]
}

/** All that can be filled in at a step: also what events that were waited for on the way there have brought. */
export function offersAt(graph: Graph, key: string, knowledge: Knowledge): Offer[] {
  const waits = graph.steps.flatMap((step) =>
    step.type === 'wait_for_event' && step.key !== key && reachedFrom(graph, step.key).has(key)
      ? fieldsOf(knowledge, step.config.event_name, `wait_events.${step.config.event_name}`)
      : [],
  )
  const offers = [...contactOffers(graph, knowledge), ...waits]
  return offers.filter(({ name }, index) => offers.findIndex((other) => other.name === name) === index)
}
