import type { OfferedVariable } from './suggestion-menu.ts'
import { texts } from './texts.ts'

interface Sources {
  /** Those of a template. */
  readonly declared?: readonly { readonly key: string; readonly fallback_value?: unknown }[] | undefined
  readonly properties?: readonly { readonly key: string; readonly fallback_value?: unknown }[] | undefined
}

const OF_CONTACTS: readonly OfferedVariable[] = [
  { name: 'FIRST_NAME', fallback: null, from: texts.variables.ofContact },
  { name: 'LAST_NAME', fallback: null, from: texts.variables.ofContact },
  { name: 'EMAIL', fallback: null, from: texts.variables.ofContact },
]

const UNSUBSCRIBE: OfferedVariable = {
  name: 'RESEND_UNSUBSCRIBE_URL',
  fallback: null,
  from: texts.variables.unsubscribe,
}

/** What can be inserted as a chip: the template's own variables first, then what every contact has. */
export const offeredVariables = ({ declared = [], properties = [] }: Sources): OfferedVariable[] => [
  ...declared.map(({ key }) => ({ name: key, fallback: null, from: texts.variables.ofTemplate })),
  ...OF_CONTACTS,
  ...properties.map(({ key }) => ({ name: `contact.${key}`, fallback: null, from: texts.variables.ofProperty })),
  UNSUBSCRIBE,
]
