import { useState } from 'react'
import { type Addressee, personalise, personaliseSubject, variablesOf } from '../../../../src/mail/personal.ts'
import { namesIn } from '../../../../src/mail/templates.ts'
import { useCall } from '../../queries.ts'

/** One of those whom a broadcast goes to, chosen to look at it with their eyes. */
export interface PreviewContact {
  /** Some of the segment, to choose from. */
  readonly others: readonly { readonly value: string; readonly label: string }[]
  readonly id: string
  choose(id: string): void
  read(content: BroadcastContent): BroadcastContent
}

export interface BroadcastContent {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

const OFFERED = 50
const NOBODY: Addressee = { email: '', first_name: null, last_name: null }

export function usePreviewContact(segment: string): PreviewContact {
  const [chosen, choose] = useState('')
  const members = useCall('segments.contacts.list', { segmentId: segment, limit: OFFERED }, { enabled: segment !== '' })
  const others = (members.data?.data ?? []).map(({ id, email }) => ({ value: id, label: email }))
  const id = others.find(({ value }) => value === chosen)?.value ?? others[0]?.value ?? ''
  const contact = useCall('contacts.get', { idOrEmail: id }, { enabled: id !== '' })
  const properties = useCall('contact-properties.list', { limit: 100 })
  const propertyValue = (key: string) =>
    contact.data?.properties[key]?.value ?? properties.data?.data.find((one) => one.key === key)?.fallback_value
  return { others, id, choose, read: (content) => renderFor(content, contact.data ?? NOBODY, propertyValue) }
}

/** As the server does it, with the server's own functions. Nobody unsubscribes by looking. */
function renderFor(
  { subject, html, text }: BroadcastContent,
  contact: Addressee,
  propertyValue: Parameters<typeof variablesOf>[2],
): BroadcastContent {
  const variables = variablesOf(contact, namesIn([subject, html, text].join('\n')), propertyValue)
  return { subject: personaliseSubject(subject, variables), ...personalise({ html, text }, variables, '#') }
}
