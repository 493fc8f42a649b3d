import { useState } from 'react'
import { CreateApiKey, UpdateApiKey } from '../../../../src/features/api-keys/schema.ts'
import { call, type Item } from '../../api.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Badge } from '../../ui/badge.tsx'
import { useChoices } from '../../ui/choices.ts'
import { Copyable } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { readTime, Time } from '../../ui/time.tsx'
import { KeyUses } from './key-uses.tsx'

type Key = Item<'api-keys.details.list'>

const isOver = ({ expires_at }: Key) => expires_at !== null && readTime(expires_at).getTime() <= Date.now()

const SENDING = { value: 'sending_access', label: 'sending access' }
const PERMISSIONS = [{ value: 'full_access', label: 'full access' }, SENDING]

export function ApiKeysPage() {
  const [token, setToken] = useState<string | null>(null)
  const [shown, setShown] = useState<Key | null>(null)
  const domains = useChoices('domains.list')
  const mayMakeFull = useAllowed()('full_keys')
  const mayOf = ({ permission, domain_id }: Key) => {
    if (permission === 'full_access') return 'everything'
    if (domain_id === null) return 'send'
    return `send from ${domains.find(({ value }) => value === domain_id)?.label ?? 'one domain'}`
  }
  return (
    <ResourcePage
      title="API keys"
      one="key"
      icon="key"
      about="One for each program, so that each can be taken back by itself."
      list="api-keys.details.list"
      input={{}}
      nameOf={({ name }) => name}
      columns={[
        { name: 'Name', kind: 'main', cell: ({ name }) => name || <span className="muted">(no name)</span> },
        { name: 'Token', cell: ({ token_end }) => <code>re_…{token_end}</code> },
        { name: 'May', cell: mayOf },
        { name: 'Last used', cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never') },
        {
          name: 'Expires',
          cell: (key) =>
            isOver(key) ? <Badge word="expired" tone="bad" /> : key.expires_at ? <Time at={key.expires_at} /> : 'never',
        },
        {
          name: 'Made',
          kind: 'aside',
          cell: ({ created_at, created_by }) => (
            <>
              <Time at={created_at} />
              {created_by && <span className="muted"> by {created_by}</span>}
            </>
          ),
        },
      ]}
      create={{
        shape: CreateApiKey,
        act: 'Make a key',
        fields: [
          { name: 'name', label: 'Name', placeholder: 'my-app' },
          {
            name: 'permission',
            label: 'May',
            hint: 'A key with sending access can send email, and nothing else.',
            options: mayMakeFull ? PERMISSIONS : [SENDING],
          },
          { name: 'domain_id', label: 'Only from', hint: 'With sending access: one domain only.', options: domains },
          {
            name: 'expires_at',
            label: 'Expires',
            hint: 'A date, or words like “in 90 days”. Empty: never.',
            offers: ['in 30 days', 'in 90 days', 'in 1 year'],
          },
        ],
        run: (body) => call('api-keys.create', { body }),
        onCreated: (created) => setToken(created.token),
      }}
      edit={{
        shape: UpdateApiKey,
        fields: [{ name: 'name', label: 'Name' }],
        run: ({ id }, body) => call('api-keys.update', { id, body }),
      }}
      remove={{
        note: 'Programs that use it are refused within a second, and who signed in with it is signed out.',
        run: ({ id }) => call('api-keys.remove', { id }),
      }}
      mayChange={({ permission }) => mayMakeFull || permission !== 'full_access'}
      acts={(key) => [{ label: 'Show its use', needs: 'api-keys.uses', onChoose: () => setShown(key) }]}
    >
      <Dialog
        title="Your new key"
        note="This is the only time that it is shown: copy it now."
        isOpen={token !== null}
        onClose={() => setToken(null)}
      >
        {token && <Copyable text={token} what="the key" isLong />}
      </Dialog>
      <Dialog
        title={`Use of ${shown?.name || 'the key'}`}
        isWide
        isOpen={shown !== null}
        onClose={() => setShown(null)}
      >
        {shown && <KeyUses id={shown.id} />}
      </Dialog>
    </ResourcePage>
  )
}
