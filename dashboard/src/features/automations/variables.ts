import type { FIELD_TYPES } from '../../../../src/features/events/schema.ts'
import { type Graph, reachedFrom } from './graph.ts'

/** Something that is filled in when a step runs, and its type if that is known. */
export interface Offer {
  readonly name: string
  readonly type?: FieldType | undefined
}

export type FieldType = (typeof FIELD_TYPES)[number]

/** Where variables come from: events and contacts. */
export interface VariableSources {
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

const fieldsOf = (sources: VariableSources, event: string, beginning: string): Offer[] =>
  Object.entries(sources.schemaOf(event)).map(([field, type]) => ({ name: `${beginning}.${field}`, type }))

/** What a rule about an event that is waited for can ask about. */
export const filterOffers = (sources: VariableSources, event: string) => fieldsOf(sources, event, 'event')

/** What the values of a contact can be taken from. */
export function contactOffers(graph: Graph, sources: VariableSources): Offer[] {
  const trigger = graph.steps.find(({ type }) => type === 'trigger')
  return [
    ...(trigger?.type === 'trigger' ? fieldsOf(sources, trigger.config.event_name, 'event') : []),
    ...CONTACT,
    ...sources.properties,
  ]
}

/** All that can be filled in at a step: also what events that were waited for on the way there have brought. */
export function offersAt(graph: Graph, key: string, sources: VariableSources): Offer[] {
  const waits = graph.steps.flatMap((step) =>
    step.type === 'wait_for_event' && step.key !== key && reachedFrom(graph, step.key).has(key)
      ? fieldsOf(sources, step.config.event_name, `wait_events.${step.config.event_name}`)
      : [],
  )
  const offers = [...contactOffers(graph, sources), ...waits]
  return offers.filter(({ name }, index) => offers.findIndex((other) => other.name === name) === index)
}
