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
    done: 'It has no access any more',
  })
  return (
    <>
      <CursorList
        label="connected apps of the team"
        list="oauth.grants.list"
        input={{}}
        empty={<Empty icon="bolt" title="Nobody in the team has connected an app yet" />}
        columns={[
          { name: 'App', kind: 'main', cell: ({ client }) => <strong>{client.name}</strong> },
          { name: 'For', cell: ({ user }) => user ?? <span className="muted">somebody who is gone</span> },
          { name: 'May', cell: ({ scopes }) => (scopes.includes('full_access') ? 'do everything' : 'send email') },
          { name: 'State', cell: (grant) => <State {...grant} /> },
          { name: 'Since', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
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
        note="It is refused within a second, and has to ask again."
        act="Revoke it"
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
