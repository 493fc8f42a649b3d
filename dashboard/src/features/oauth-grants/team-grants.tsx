import { useState } from 'react'
import { call, type Item } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { inWords } from '../../ui/sentence-case.ts'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

type Grant = Item<'oauth.grants.list'>

/** What people of the team let act for them. */
export function TeamGrants() {
  const [chosen, setChosen] = useState<Grant | null>(null)
  const revoking = useAct({
    run: ({ id }: Grant) => call('oauth.grants.revoke', { id }),
    refresh: ['oauth.grants'],
    done: texts.accessRevoked,
  })
  return (
    <>
      <CursorList
        label={texts.connectedAppsTeam}
        list="oauth.grants.list"
        input={{}}
        empty={<Empty icon="bolt" title={texts.noConnectedAppsYet} />}
        columns={[
          { name: texts.app, kind: 'title', cell: ({ client }) => <strong>{client.name}</strong> },
          { name: texts.user, cell: ({ user }) => user ?? <span className="muted">{texts.deletedUser}</span> },
          {
            name: texts.permission,
            cell: ({ scopes }) => (scopes.includes('full_access') ? texts.fullAccess : texts.sendingAccess),
          },
          { name: texts.status, kind: 'status', cell: (grant) => <State {...grant} /> },
          { name: texts.connected, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            name: texts.actions,
            kind: 'end',
            cell: (grant) =>
              grant.revoked_at === null && (
                <Button look="quiet" aria-label={texts.revokeOf(grant.client.name)} onClick={() => setChosen(grant)}>
                  {texts.revoke}
                </Button>
              ),
          },
        ]}
      />
      <Confirm
        title={chosen ? texts.revokeAccess(chosen.client.name) : ''}
        note={texts.appLosesAccessWithin}
        act={texts.revokeAccess2}
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
