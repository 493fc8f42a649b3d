import { useId, useState } from 'react'
import { type Addressee, personalise, personaliseSubject, variablesOf } from '../../../src/mail/personal.ts'
import { namesIn } from '../../../src/mail/templates.ts'
import { useCall } from '../queries.ts'
import { useDebounced } from '../ui/debounced.ts'
import { Field, Offers } from '../ui/field.tsx'
import { texts } from './texts.ts'

/** One contact, chosen to see an email with their eyes. */
export interface PreviewContact {
  /** What is typed to find one. */
  readonly search: string
  readonly offers: readonly string[]
  find(text: string): void
  /** As the contact gets it. Without one, variables have their fallbacks. */
  read(content: EmailContent): EmailContent
}

export interface EmailContent {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

const MAX_OFFERS = 20
const SEARCH_PAUSE_MS = 250
const NOBODY: Addressee = { email: '', first_name: null, last_name: null }

/** Of a segment its first contact is chosen to begin with; any other can be found by a part of the address. */
export function usePreviewContact(segment?: string): PreviewContact {
  const [typed, setTyped] = useState<string | null>(null)
  const wanted = useDebounced(typed ?? '', SEARCH_PAUSE_MS)
  const found = useCall(
    'contacts.list',
    { limit: MAX_OFFERS, ...(segment && { segment_id: segment }), ...(wanted && { email: wanted }) },
    { enabled: segment !== '' },
  )
  const offers = (found.data?.data ?? []).map(({ email }) => email)
  const first = segment && typed === null ? offers[0] : undefined
  const email = typed !== null && /^[^\s@]+@[^\s@]+$/.test(typed) ? typed : (first ?? '')
  const isOffered = offers.includes(email)
  const contact = useCall('contacts.get', { idOrEmail: email }, { enabled: isOffered })
  const properties = useCall('contact-properties.list', { limit: 100 })
  const propertyValue = (key: string) =>
    contact.data?.properties[key]?.value ?? properties.data?.data.find((one) => one.key === key)?.fallback_value
  return {
    search: typed ?? first ?? '',
    offers,
    find: setTyped,
    read: (content) => renderFor(content, (isOffered && contact.data) || NOBODY, propertyValue),
  }
}

/** As the server does it, with the server's own functions. Nobody unsubscribes by looking. */
function renderFor(
  { subject, html, text }: EmailContent,
  contact: Addressee,
  propertyValue: Parameters<typeof variablesOf>[2],
): EmailContent {
  const variables = variablesOf(contact, namesIn([subject, html, text].join('\n')), propertyValue)
  return { subject: personaliseSubject(subject, variables), ...personalise({ html, text }, variables, '#') }
}

interface PreviewHeadProps {
  readonly contact: PreviewContact
  readonly subject: string
}

/** Whose eyes the preview is seen with, and the subject that they get. */
export function PreviewHead({ contact, subject }: PreviewHeadProps) {
  const list = useId()
  return (
    <>
      <Field label={texts.preview.as.label}>
        {(common) => (
          <>
            <input
              {...common}
              list={list}
              type="search"
              autoComplete="off"
              placeholder={texts.preview.as.placeholder}
              value={contact.search}
              onChange={(event) => contact.find(event.currentTarget.value)}
            />
            <Offers id={list} offers={contact.offers} />
          </>
        )}
      </Field>
      <p className="preview-subject">{subject || <span className="muted">{texts.preview.noSubject}</span>}</p>
    </>
  )
}
