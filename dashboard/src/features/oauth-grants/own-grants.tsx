import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnGrant } from '../../../../src/features/oauth/own-grants.ts'
import { sendJson } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Rows } from '../../ui/cursor-list.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

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
    done: 'It has no access any more',
  })
  if (grants.isPending) return <Loading />
  if (grants.isError) return <Failed error={grants.error} onRetry={() => grants.refetch()} />
  if (grants.data.data.length === 0)
    return (
      <Empty icon="bolt" title="No program acts for you">
        <p className="muted">A command line, an assistant or a service can ask you; you say yes or no here.</p>
      </Empty>
    )
  return (
    <>
      <Rows
        label="your connected apps"
        items={grants.data.data}
        columns={[
          { name: 'App', kind: 'main', cell: ({ client }) => <strong>{client}</strong> },
          { name: 'In the team', cell: ({ team }) => team },
          { name: 'Since', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            name: 'Actions',
            kind: 'end',
            cell: (grant) => (
              <Button look="quiet" aria-label={`Disconnect ${grant.client}`} onClick={() => setChosen(grant)}>
                Disconnect
              </Button>
            ),
          },
        ]}
      />
      <Confirm
        title={chosen ? `Disconnect “${chosen.client}”?` : ''}
        note="It is refused within a second, and has to ask you again."
        act="Disconnect it"
        isOpen={chosen !== null}
        onClose={() => setChosen(null)}
        onConfirm={() => revoking.mutateAsync(chosen!)}
      />
    </>
  )
}
