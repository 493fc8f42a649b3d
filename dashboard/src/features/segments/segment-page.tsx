import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { ContactItem } from '../../../../src/resources/contacts/schema.ts'
import type { SegmentItem } from '../../../../src/resources/segments/schema.ts'
import { api } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'

/** Who is in a segment. Contacts are put into it on their own page, or by an import. */
export function SegmentPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const segment = useQuery({
    queryKey: ['segments', id],
    queryFn: () => api.get<Static<typeof SegmentItem>>(`/segments/${id}`),
  })
  const leave = useAct({
    run: (contact: string) => api.delete(`/contacts/${contact}/segments/${id}`),
    refresh: ['segments', 'contacts'],
    done: 'Taken out',
  })
  if (segment.isPending) return <Loading />
  if (segment.isError) return <Failed error={segment.error} />
  return (
    <Page title={segment.data.name} note={<Copyable text={id} what="the id" />}>
      <CursorList<Static<typeof ContactItem>>
        label="contacts"
        queryKey={['segments', id]}
        path={`/segments/${id}/contacts`}
        linkTo={(contact) => `/contacts/${contact.id}`}
        columns={[
          { name: 'Email', kind: 'main', cell: ({ email }) => email },
          { name: 'Name', cell: ({ first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' ') },
          { name: 'State', cell: ({ unsubscribed }) => <Badge word={unsubscribed ? 'unsubscribed' : 'subscribed'} /> },
          {
            name: 'Actions',
            kind: 'end',
            cell: (contact) => (
              <Menu
                label={`Actions for ${contact.email}`}
                items={[{ label: 'Take out of the segment', onChoose: () => leave.mutate(contact.id) }]}
              />
            ),
          },
        ]}
        empty={
          <Empty icon="people" title="Nobody is in it yet">
            <p className="muted">Open a contact to put it here, or import a file into it.</p>
          </Empty>
        }
      />
    </Page>
  )
}
