import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { fillTemplate } from '../../../../src/mail/templates.ts'
import { api, type ListReply } from '../../api.ts'
import { HtmlFrame } from '../../ui/html-frame.tsx'
import type { Broadcast } from './api.ts'

interface Recipient {
  readonly id: string
  readonly email: string
  readonly first_name: string | null
  readonly last_name: string | null
  readonly properties?: Readonly<Record<string, { readonly value: string | number }>>
}

/** The broadcast as one of its recipients gets it. */
export function ContactPreview({ broadcast }: { broadcast: Broadcast }) {
  const [chosen, setChosen] = useState('')
  const contacts = useQuery({
    queryKey: ['segments', broadcast.segment_id, 'preview'],
    enabled: broadcast.segment_id !== null,
    queryFn: () => api.get<ListReply<Recipient>>(`/segments/${broadcast.segment_id}/contacts`, { limit: 20 }),
  })
  const id = chosen || contacts.data?.data[0]?.id
  const contact = useQuery({
    queryKey: ['contacts', id],
    enabled: id !== undefined,
    queryFn: () => api.get<Recipient>(`/contacts/${id}`),
  })
  const html = useDeferredValue(fillFor(broadcast.html ?? '', contact.data))
  return (
    <div>
      <p className="preview-subject">{fillFor(broadcast.subject ?? '', contact.data)}</p>
      <label className="field inline">
        As
        <select value={id ?? ''} onChange={(event) => setChosen(event.currentTarget.value)}>
          {contacts.data?.data.map(({ id: one, email }) => (
            <option key={one} value={one}>
              {email}
            </option>
          ))}
          {!contacts.data?.data.length && <option value="">nobody: the segment is empty</option>}
        </select>
      </label>
      <HtmlFrame html={html} title="The broadcast as this contact gets it" />
    </div>
  )
}

export function fillFor(text: string, contact: Recipient | undefined): string {
  const values: Readonly<Record<string, string | null | undefined>> = {
    FIRST_NAME: contact?.first_name,
    LAST_NAME: contact?.last_name,
    EMAIL: contact?.email,
    UNSUBSCRIBE_URL: '#',
    RESEND_UNSUBSCRIBE_URL: '#',
    'contact.first_name': contact?.first_name,
    'contact.last_name': contact?.last_name,
    'contact.email': contact?.email,
  }
  const property = (name: string) => contact?.properties?.[name.replace(/^contact\./, '')]?.value
  return fillTemplate(text, (name) => values[name] ?? property(name)?.toString() ?? undefined).text
}
