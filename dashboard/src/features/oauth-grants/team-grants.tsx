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
    done: texts.toasts.revoked,
  })
  return (
    <>
      <CursorList
        label={texts.team.list}
        list="oauth.grants.list"
        input={{}}
        empty={<Empty icon="bolt" title={texts.team.empty} />}
        columns={[
          { name: texts.columns.app, kind: 'title', cell: ({ client }) => <strong>{client.name}</strong> },
          { name: texts.columns.user, cell: ({ user }) => user ?? <span className="muted">{texts.deletedUser}</span> },
          {
            name: texts.columns.permission,
            cell: ({ scopes }) =>
              scopes.includes('full_access') ? texts.permissions.fullAccess : texts.permissions.sendingAccess,
          },
          { name: texts.columns.status, kind: 'status', cell: (grant) => <State {...grant} /> },
          { name: texts.columns.connected, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            name: texts.columns.actions,
            kind: 'end',
            cell: (grant) =>
              grant.revoked_at === null && (
                <Button
                  look="quiet"
                  aria-label={texts.revoke.buttonLabel(grant.client.name)}
                  onClick={() => setChosen(grant)}
                >
                  {texts.revoke.button}
                </Button>
              ),
          },
        ]}
      />
      <Confirm
        title={chosen ? texts.revoke.title(chosen.client.name) : ''}
        note={texts.losesAccess}
        act={texts.revoke.confirm}
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
