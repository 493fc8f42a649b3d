import { useState } from 'react'
import { call, type Item } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge, inWords } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

type Grant = Item<'oauth.grants.list'>

/** What people of the team let act for them. */
export function TeamGrants() {
  const [chosen, setChosen] = useState<Grant | null>(null)
  const revoking = useAct({
    run: ({ id }: Grant) => call('oauth.grants.revoke', { id }),
    refresh: ['oauth.grants'],
    done: 'Access revoked',
  })
  return (
    <>
      <CursorList
        label="connected apps of the team"
        list="oauth.grants.list"
        input={{}}
        empty={<Empty icon="bolt" title="No connected apps yet" />}
        columns={[
          { name: 'App', kind: 'main', cell: ({ client }) => <strong>{client.name}</strong> },
          { name: 'User', cell: ({ user }) => user ?? <span className="muted">Deleted user</span> },
          { name: 'Permission', cell: ({ scopes }) => (scopes.includes('full_access') ? 'full access' : 'sending') },
          { name: 'Status', cell: (grant) => <State {...grant} /> },
          { name: 'Connected', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            name: 'Actions',
            kind: 'end',
            cell: (grant) =>
              grant.revoked_at === null && (
                <Button look="quiet" aria-label={`Revoke ${grant.client.name}`} onClick={() => setChosen(grant)}>
                  Revoke
                </Button>
              ),
          },
        ]}
      />
      <Confirm
        title={chosen ? `Revoke the access of “${chosen.client.name}”?` : ''}
        note="The app loses access within a second and has to request it again."
        act="Revoke access"
        isOpen={chosen !== null}
        onClose={() => setChosen(null)}
        onConfirm={() => revoking.mutateAsync(chosen!)}
      />
    </>
  )
}

function State({ revoked_at, revoked_reason }: Pick<Grant, 'revoked_at' | 'revoked_reason'>) {
  if (revoked_at === null) return <Badge word="connected" tone="good" />
  return (
    <span title={inWords(revoked_reason ?? '')}>
      <Badge word="revoked" />
    </span>
  )
}
