import { SYSTEM_EVENTS } from '../../../../src/features/automations/schema.ts'
import { useCall } from '../../queries.ts'
import { useChoices } from '../../ui/choices.ts'
import type { Names } from './sentences.ts'
import type { FieldType, VariableSources } from './variables.ts'

/** The most that a list offers. */
const OFFERED = { limit: 100 } as const

/** What a system event says about the email that it is of. */
const EMAIL_FIELDS = { email_id: 'string', subject: 'string', from: 'string', template_id: 'string' } as const

type Option = { readonly value: string; readonly label: string }

export interface Resources extends VariableSources, Names {
  readonly events: readonly string[]
  readonly templates: readonly Option[]
  readonly segments: readonly Option[]
  readonly propertyTypes: Readonly<Record<string, FieldType>>
}

/** What automations are built from: events, templates, segments, properties of contacts. */
export function useResources(): Resources {
  const definitions = useCall('events.list', OFFERED).data?.data ?? []
  const templates = useCall('templates.list', OFFERED).data?.data ?? []
  const properties = useCall('contact-properties.list', OFFERED).data?.data ?? []
  const segments = useChoices('segments.list')
  const propertyTypes = Object.fromEntries(properties.map(({ key, type }) => [key, type]))
  return {
    events: [...definitions.map(({ name }) => name), ...SYSTEM_EVENTS],
    templates: templates
      .filter(({ status }) => status === 'published')
      .map(({ id, name }) => ({ value: id, label: name })),
    segments,
    propertyTypes,
    properties: properties.map(({ key, type }) => ({ name: `contact.properties.${key}`, type })),
    schemaOf: (event) =>
      event.startsWith('resend:') ? EMAIL_FIELDS : (definitions.find(({ name }) => name === event)?.schema ?? {}),
    template: (id) => templates.find((one) => one.id === id || one.alias === id)?.name,
    segment: (id) => segments.find(({ value }) => value === id)?.label,
  }
}
