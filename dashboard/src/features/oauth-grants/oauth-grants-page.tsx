import { useState } from 'react'
import { call, type Item } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge, inWords } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'

type Grant = Item<'oauth.grants.list'>

const SCOPES: Readonly<Record<string, string>> = { full_access: 'everything', 'emails:send': 'sending' }

export function OAuthGrantsPage() {
  const [chosen, setChosen] = useState<Grant | null>(null)
  const revoking = useAct({
    run: ({ id }: Grant) => call('oauth.grants.revoke', { id }),
    refresh: ['oauth.grants'],
    done: 'It has no access any more',
  })
  return (
    <ResourcePage
      title="Connected apps"
      one="app"
      icon="bolt"
      about="Programs that people of this team let act for them, after signing in: a command line, an assistant, a service."
      list="oauth.grants.list"
      input={{}}
      nameOf={({ client }) => client.name}
      columns={[
        { name: 'App', kind: 'main', cell: ({ client }) => <strong>{client.name}</strong> },
        { name: 'For', cell: ({ user }) => user ?? <span className="muted">somebody who is gone</span> },
        { name: 'May', cell: ({ scopes }) => mayOf(scopes) },
        {
          name: 'State',
          cell: ({ revoked_at, revoked_reason }) =>
            revoked_at ? (
              <span title={inWords(revoked_reason ?? '')}>
                <Badge word="revoked" />
              </span>
            ) : (
              <Badge word="connected" tone="good" />
            ),
        },
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
    >
      <Confirm
        title={chosen ? `Revoke the access of “${chosen.client.name}”?` : ''}
        note="It is refused within a second, and has to ask again."
        act="Revoke it"
        isOpen={chosen !== null}
        onClose={() => setChosen(null)}
        onConfirm={() => revoking.mutateAsync(chosen!)}
      />
    </ResourcePage>
  )
}

/** Who has everything needs no other word. */
const mayOf = (scopes: readonly string[]) =>
  scopes.includes('full_access') ? SCOPES.full_access : scopes.map((scope) => SCOPES[scope] ?? scope).join(', ')
