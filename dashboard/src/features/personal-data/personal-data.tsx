import { useState } from 'react'
import { RequestPersonalData } from '../../../../src/features/personal-data/schema.ts'
import { call, type Input, type Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { Card, Facts } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Failed } from '../../ui/states.tsx'
import { texts } from './texts.ts'

type Asked = Input<'personal-data.request'>['body']
type Request = Reply<'personal-data.get'>

const POLL_MS = 1_000

/** For owners: what the team keeps about a person, and how it goes. */
export function PersonalData() {
  const isAllowed = useAllowed()
  const [erasing, setErasing] = useState<Asked | null>(null)
  const [id, setId] = useState<string | null>(null)
  const ask = useAct({ run: (body: Asked) => call('personal-data.request', { body }), refresh: [] })
  if (!isAllowed('personal-data.request')) return null
  const begin = (body: Asked) => ask.mutateAsync(body).then((request) => setId(request.id))
  return (
    <Card title={texts.title}>
      <p className="muted">{texts.note}</p>
      <SchemaForm
        shape={RequestPersonalData}
        fields={[
          { name: 'address', label: texts.address },
          { name: 'action', ...texts.action },
        ]}
        initial={{ action: 'report' }}
        act={texts.submit}
        onSubmit={async (body) => (body.action === 'erase' ? setErasing(body) : begin(body))}
      />
      <Confirm
        title={texts.confirm.title(erasing?.address ?? '')}
        note={texts.confirm.note}
        act={texts.confirm.act}
        isOpen={erasing !== null}
        onClose={() => setErasing(null)}
        onConfirm={() => begin(erasing!)}
      />
      {id !== null && <Progress id={id} />}
    </Card>
  )
}

function Progress({ id }: { readonly id: string }) {
  const request = useCall(
    'personal-data.get',
    { id },
    { refetchInterval: ({ state }) => (state.data && state.data.completed_at !== null ? false : POLL_MS) },
  )
  if (request.isError) return <Failed error={request.error} />
  if (!request.data) return null
  const { completed_at, rows_searched, counts, status, action } = request.data
  if (completed_at === null) return <p role="status">{texts.running(formatNumber(rows_searched))}</p>
  return (
    <div role="status">
      {Object.keys(counts).length === 0 ? <p>{texts.nothing}</p> : <Facts facts={factsOf(counts)} />}
      {status === 'failed' && <p>{texts.failed}</p>}
      {action === 'export' && <Button onClick={() => download(id)}>{texts.download}</Button>}
    </div>
  )
}

const OUTCOMES = ['found', 'deleted', 'redacted', 'files', 'pending'] as const

const factsOf = (counts: Request['counts']) =>
  Object.entries(counts).map(([kind, of]) => {
    const words = OUTCOMES.flatMap((one) => {
      const count = of[one]
      return count === undefined ? [] : [texts.outcome[one](formatNumber(count))]
    })
    return [kind.replaceAll('_', ' '), words.join(', ')] as const
  })

async function download(id: string) {
  const data = await call('personal-data.download', { id })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }))
  link.download = 'personal-data.json'
  link.click()
  URL.revokeObjectURL(link.href)
}
