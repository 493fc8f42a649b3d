import { useState } from 'react'
import { HoldMail } from '../../../../../src/features/operator/delivery/schema.ts'
import { call, type Input, type Reply } from '../../../api.ts'
import { useCall } from '../../../queries.ts'
import { useAct } from '../../../ui/act.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm, Dialog } from '../../../ui/dialog.tsx'
import { formatNumber } from '../../../ui/locale.ts'
import { Card } from '../../../ui/page.tsx'
import type { Column } from '../../../ui/row-parts.tsx'
import { Rows } from '../../../ui/rows.tsx'
import { SchemaForm } from '../../../ui/schema-form.tsx'
import { Time } from '../../../ui/time.tsx'
import { texts } from './texts.ts'

type Hold = Reply<'operator.delivery.holds'>['data'][number]

/** Mail that operators keep back, and the way to keep back more. */
export function Holds() {
  const [isAsking, setAsking] = useState(false)
  const [released, setReleased] = useState<Hold | null>(null)
  const holds = useCall('operator.delivery.holds', {})
  const refresh = ['operator.delivery'] as const
  const hold = useAct({
    run: (body: Input<'operator.delivery.hold'>['body']) => call('operator.delivery.hold', { body }),
    ...{ refresh, done: texts.holds.dialog.done },
  })
  const release = useAct({
    run: (id: string) => call('operator.delivery.release', { id }),
    ...{ refresh, done: texts.holds.releaseDialog.done },
  })
  const { dialog, releaseDialog } = texts.holds
  const items = holds.data?.data ?? []
  return (
    <Card
      title={texts.holds.title}
      actions={
        <Button needs="operator.delivery.hold" onClick={() => setAsking(true)}>
          {texts.holds.hold}
        </Button>
      }
    >
      {items.length > 0 ? (
        <Rows label={texts.holds.title} columns={columnsOf(setReleased)} items={items} />
      ) : (
        <p className="muted">{texts.holds.none}</p>
      )}
      <Dialog title={dialog.title} note={dialog.note} isOpen={isAsking} onClose={() => setAsking(false)}>
        <SchemaForm
          shape={HoldMail}
          fields={[
            { name: 'domain', label: texts.holds.fields.domain, placeholder: 'example.com' },
            { name: 'from', label: texts.holds.fields.from, placeholder: 'example.com' },
            { name: 'destination', label: texts.holds.fields.destination, placeholder: 'gmail' },
            { name: 'tag', label: texts.holds.fields.tag, placeholder: 'campaign:spring' },
            { name: 'team', label: texts.holds.fields.team },
            { name: 'email', label: texts.holds.fields.email },
            { name: 'reason', label: texts.holds.fields.reason, hint: texts.holds.fields.reasonHint },
          ]}
          act={dialog.submit}
          onSubmit={(body) => hold.mutateAsync(body).then(() => setAsking(false))}
        />
      </Dialog>
      <Confirm
        title={releaseDialog.title(released ? scopeText(released) : '')}
        note={releaseDialog.note}
        act={releaseDialog.confirm}
        look="primary"
        isOpen={released !== null}
        onClose={() => setReleased(null)}
        onConfirm={() => release.mutateAsync(released!.id)}
      />
    </Card>
  )
}

const scopeText = ({ team, team_id, email_id, domain, from, destination, tag }: Hold) =>
  [
    ...(email_id === null ? [] : [texts.holds.scope.email(email_id)]),
    ...(domain === null ? [] : [texts.holds.scope.domain(domain)]),
    ...(destination === null ? [] : [texts.holds.scope.destination(destination)]),
    ...(from === null ? [] : [texts.holds.scope.from(from)]),
    ...(tag === null ? [] : [texts.holds.scope.tag(tag)]),
    ...(team_id === null ? [] : [texts.holds.scope.team(team ?? team_id)]),
  ].join(', ') || texts.holds.scope.everything

const columnsOf = (release: (hold: Hold) => void): Column<Hold>[] => {
  const { columns } = texts.holds
  return [
    { name: columns.mail, kind: 'title', cell: scopeText },
    { name: columns.reason, kind: 'main', cell: ({ reason }) => reason },
    { name: columns.recipients, kind: 'aside', cell: ({ recipients }) => formatNumber(recipients) },
    { name: columns.since, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      name: columns.actions,
      kind: 'end',
      cell: (hold) => <Button onClick={() => release(hold)}>{texts.holds.release}</Button>,
    },
  ]
}
