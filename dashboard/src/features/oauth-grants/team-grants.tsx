import { useState } from 'react'
import { call, type Item } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PolicyBadge } from '../../ui/policy/policy-section.tsx'
import { inWords } from '../../ui/sentence-case.ts'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { GrantDetails } from './grant-details.tsx'
import { texts } from './texts.ts'

type Grant = Item<'oauth.grants.list'>

/** What people of the team let act for them. */
export function TeamGrants() {
  const [chosen, setChosen] = useState<Grant | null>(null)
  const [shown, setShown] = useState<string | null>(null)
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
            cell: ({ scopes, policy }) => (
              <>
                {scopes.includes('full_access') ? texts.permissions.fullAccess : texts.permissions.sendingAccess}{' '}
                <PolicyBadge policy={policy} />
              </>
            ),
          },
          { name: texts.columns.status, kind: 'status', cell: (grant) => <State {...grant} /> },
          { name: texts.columns.connected, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            name: texts.columns.actions,
            kind: 'end',
            cell: (grant) => (
              <Menu
                label={texts.actionsFor(grant.client.name)}
                items={[
                  {
                    label: texts.details.open,
                    needs: 'oauth.grants.activity',
                    onChoose: () => setShown(grant.id),
                  },
                  ...(grant.revoked_at === null
                    ? [
                        {
                          label: texts.revoke.button,
                          needs: 'oauth.grants.revoke' as const,
                          isDangerous: true,
                          onChoose: () => setChosen(grant),
                        },
                      ]
                    : []),
                ]}
              />
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
      <GrantDetails id={shown} onClose={() => setShown(null)} />
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
