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
    done: texts.contacts.removed,
  })
  if (segment.isPending) return <Loading />
  if (segment.isError) return <Failed error={segment.error} />
  return (
    <Page title={segment.data.name} note={<Copyable text={id} what={texts.copiedId} />}>
      <CursorList
        label={texts.contacts.list}
        list="segments.contacts.list"
        input={{ segmentId: id }}
        pageOfOne="/contacts/$id"
        columns={[
          { name: texts.contacts.email, kind: 'title', cell: ({ email }) => email },
          {
            name: texts.contacts.name,
            cell: ({ first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' '),
          },
          {
            name: texts.contacts.status,
            kind: 'status',
            cell: ({ unsubscribed }) => <Badge word={unsubscribed ? 'unsubscribed' : 'subscribed'} />,
          },
          {
            name: texts.contacts.actions,
            kind: 'end',
            cell: (contact) => (
              <Menu
                label={texts.contacts.actionsOf(contact.email)}
                items={[
                  {
                    label: texts.contacts.remove,
                    needs: 'contacts.segments.remove',
                    onChoose: () => leave.mutate(contact.id),
                  },
                ]}
              />
            ),
          },
        ]}
        empty={
          <Empty icon="people" title={texts.contacts.empty}>
            <p className="muted">{texts.contacts.emptyNote}</p>
          </Empty>
        }
      />
    </Page>
  )
}
