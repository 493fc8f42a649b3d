import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnGrant } from '../../../../src/features/oauth/own-grants.ts'
import { sendJson } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Rows } from '../../ui/cursor-list.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { PolicyBadge } from '../../ui/policy/policy-section.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

/** Of the dashboard alone, and so no endpoint of the API. */
const ADDRESS = '/dashboard/oauth/grants'
const KEY = ['own-grants']

/** What somebody lets act for them, in all of their teams. */
export function OwnGrants() {
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<OwnGrant | null>(null)
  const grants = useQuery({ queryKey: KEY, queryFn: () => sendJson<{ data: readonly OwnGrant[] }>('GET', ADDRESS) })
  const revoking = useAct({
    run: async ({ id }: OwnGrant) => {
      await sendJson('DELETE', `${ADDRESS}/${id}`)
      await queries.invalidateQueries({ queryKey: KEY })
    },
    refresh: ['oauth.grants'],
    done: texts.toasts.revoked,
  })
  if (grants.isPending) return <Loading />
  if (grants.isError) return <Failed error={grants.error} onRetry={() => grants.refetch()} />
  if (grants.data.data.length === 0)
    return (
      <Empty icon="bolt" title={texts.own.empty}>
        <p className="muted">{texts.own.emptyNote}</p>
      </Empty>
    )
  return (
    <>
      <Rows
        label={texts.own.list}
        items={grants.data.data}
        columns={[
          { name: texts.columns.app, kind: 'main', cell: ({ client }) => <strong>{client}</strong> },
          { name: texts.columns.team, cell: ({ team }) => team },
          { name: texts.columns.policy, kind: 'status', cell: ({ policy }) => <PolicyBadge policy={policy} /> },
          { name: texts.columns.connected, kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            name: texts.columns.actions,
            kind: 'end',
            cell: (grant) => (
              <Button
                look="quiet"
                aria-label={texts.disconnect.buttonLabel(grant.client)}
                onClick={() => setChosen(grant)}
              >
                {texts.disconnect.button}
              </Button>
            ),
          },
        ]}
      />
      <Confirm
        title={chosen ? texts.disconnect.title(chosen.client) : ''}
        note={texts.losesAccess}
        act={texts.disconnect.confirm}
        isOpen={chosen !== null}
        onClose={() => setChosen(null)}
        onConfirm={() => revoking.mutateAsync(chosen!)}
      />
    </>
  )
}
