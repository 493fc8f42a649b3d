import { useState } from 'react'
import { CreateApiKey, UpdateApiKey } from '../../../../src/resources/api-keys/schema.ts'
import { call } from '../../api.ts'
import { useChoices } from '../../ui/choices.ts'
import { Copyable } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'

export function ApiKeysPage() {
  const [token, setToken] = useState<string | null>(null)
  const domains = useChoices('domains.list')
  return (
    <ResourcePage
      title="API keys"
      one="key"
      icon="key"
      about="One for each program, so that each can be taken back by itself."
      list="api-keys.list"
      input={{}}
      nameOf={({ name }) => name}
      columns={[
        { name: 'Name', kind: 'main', cell: ({ name }) => name || <span className="muted">(no name)</span> },
        { name: 'Last used', cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never') },
        { name: 'Created', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      create={{
        shape: CreateApiKey,
        act: 'Make a key',
        fields: [
          { name: 'name', label: 'Name', placeholder: 'my-app' },
          { name: 'permission', label: 'May', hint: 'A key with sending access can send email, and nothing else.' },
          { name: 'domain_id', label: 'Only from', hint: 'With sending access: one domain only.', options: domains },
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
    >
      <Dialog
        title="Your new key"
        note="This is the only time that it is shown: copy it now."
        isOpen={token !== null}
        onClose={() => setToken(null)}
      >
        {token && <Copyable text={token} what="the key" isLong />}
      </Dialog>
    </ResourcePage>
  )
}
