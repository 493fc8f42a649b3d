import { useParams } from '@tanstack/react-router'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { texts } from './texts.ts'

/** Who is in a segment. Contacts are put into it on their own page, or by an import. */
export function SegmentPage() {
  const { id } = useParams({ from: '/segments/$id' })
  const segment = useCall('segments.get', { id })
  const leave = useAct({
    run: (contact: string) => call('contacts.segments.remove', { idOrEmail: contact, segmentId: id }),
    refresh: ['segments', 'contacts'],
    done: texts.removedFromSegment,
  })
  if (segment.isPending) return <Loading />
  if (segment.isError) return <Failed error={segment.error} />
  return (
    <Page title={segment.data.name} note={<Copyable text={id} what="ID" />}>
      <CursorList
        label={texts.contacts}
        list="segments.contacts.list"
        input={{ segmentId: id }}
        pageOfOne="/contacts/$id"
        columns={[
          { name: texts.email, kind: 'title', cell: ({ email }) => email },
          { name: texts.name, cell: ({ first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' ') },
          {
            name: texts.status,
            kind: 'status',
            cell: ({ unsubscribed }) => <Badge word={unsubscribed ? 'unsubscribed' : 'subscribed'} />,
          },
          {
            name: texts.actions,
            kind: 'end',
            cell: (contact) => (
              <Menu
                label={texts.actionsOf(contact.email)}
                items={[
                  {
                    label: texts.removeFromSegment,
                    needs: 'contacts.segments.remove',
                    onChoose: () => leave.mutate(contact.id),
                  },
                ]}
              />
            ),
          },
        ]}
        empty={
          <Empty icon="people" title={texts.noContactsYet}>
            <p className="muted">{texts.addSegmentPageContact}</p>
          </Empty>
        }
      />
    </Page>
  )
}
