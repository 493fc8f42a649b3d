import { Link } from '@tanstack/react-router'
import type { Item } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

type Activity = Item<'contacts.activity.list'>

/** Everything that happened to a contact, each row leading to what tells more. */
export const ContactActivity = ({ contact }: { contact: string }) => (
  <Card title={texts.activity.title}>
    <CursorList
      label={texts.activity.label}
      list="contacts.activity.list"
      input={{ idOrEmail: contact }}
      columns={[
        { name: texts.activity.columns.activity, kind: 'title', cell: (item) => <ActivityLink item={item} /> },
        {
          name: texts.activity.columns.status,
          kind: 'status',
          cell: ({ status }) => status && <Badge word={status} />,
        },
        { name: texts.activity.columns.time, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      empty={
        <Empty icon="list" title={texts.activity.empty.title}>
          <p className="muted">{texts.activity.empty.note}</p>
        </Empty>
      }
    />
  </Card>
)

function ActivityLink({ item: { type, id, title, broadcast_id } }: { item: Activity }) {
  if (type === 'email')
    return (
      <>
        <Link to="/emails/$id" params={{ id }}>
          {title || texts.activity.noSubject}
        </Link>
        {broadcast_id && (
          <>
            {' '}
            <Link className="muted" to="/broadcasts/$id" params={{ id: broadcast_id }}>
              {texts.activity.broadcast}
            </Link>
          </>
        )}
      </>
    )
  if (type === 'received_email')
    return (
      <>
        <Link to="/received/$id" params={{ id }}>
          {title || texts.activity.noSubject}
        </Link>{' '}
        <span className="muted">{texts.activity.received}</span>
      </>
    )
  if (type === 'automation_run')
    return (
      <>
        <Link to="/automation-runs/$id" params={{ id }}>
          {title}
        </Link>{' '}
        <span className="muted">{texts.activity.automationRun}</span>
      </>
    )
  return <Link to="/suppressions">{texts.activity.suppressed}</Link>
}
