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
import { texts } from './texts.ts'

type Key = Item<'api-keys.details.list'>

const isOver = ({ expires_at }: Key) => expires_at !== null && readTime(expires_at).getTime() <= Date.now()

const SENDING = { value: 'sending_access', label: texts.sendingAccess }
const PERMISSIONS = [{ value: 'full_access', label: texts.fullAccess }, SENDING]

export function ApiKeysPage() {
  const [token, setToken] = useState<string | null>(null)
  const [shown, setShown] = useState<Key | null>(null)
  const domains = useChoices('domains.list')
  const mayMakeFull = useAllowed()('full_keys')
  const mayOf = ({ permission, domain_id }: Key) => {
    if (permission === 'full_access') return texts.fullAccess
    if (domain_id === null) return 'sending'
    return texts.sendingFrom(domains.find(({ value }) => value === domain_id)?.label ?? 'one domain')
  }
  return (
    <ResourcePage
      title={texts.apiKeys}
      one={texts.apiKey}
      icon="key"
      about={texts.oneEachApplicationSo}
      list="api-keys.details.list"
      input={{}}
      nameOf={({ name }) => name}
      columns={[
        { name: texts.name, kind: 'title', cell: ({ name }) => name || <span className="muted">{texts.noName}</span> },
        { name: texts.token, cell: ({ token_end }) => <code>re_…{token_end}</code> },
        { name: texts.permission, cell: mayOf },
        { name: texts.lastUsed, cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never') },
        {
          name: texts.expires,
          cell: (key) =>
            isOver(key) ? <Badge word="expired" tone="bad" /> : key.expires_at ? <Time at={key.expires_at} /> : 'never',
        },
        {
          name: texts.created,
          kind: 'time',
          cell: ({ created_at, created_by }) => (
            <>
              <Time at={created_at} />
              {created_by && <span className="muted">{texts.by(created_by)}</span>}
            </>
          ),
        },
      ]}
      create={{
        shape: CreateApiKey,
        act: texts.createApiKey,
        fields: [
          { name: 'name', label: texts.name, placeholder: 'my-app' },
          {
            name: 'permission',
            label: texts.permission,
            hint: texts.keysWithSendingAccess,
            options: mayMakeFull ? PERMISSIONS : [SENDING],
          },
          {
            name: 'domain_id',
            label: texts.domain,
            hint: texts.restrictsKeyWithSending,
            options: domains,
          },
          {
            name: 'expires_at',
            label: texts.expires,
            hint: texts.date90DaysLeave,
            offers: ['in 30 days', 'in 90 days', 'in 1 year'],
          },
        ],
        run: (body) => call('api-keys.create', { body }),
        onCreated: (created) => setToken(created.token),
      }}
      edit={{
        shape: UpdateApiKey,
        fields: [{ name: 'name', label: texts.name }],
        run: ({ id }, body) => call('api-keys.update', { id, body }),
      }}
      remove={{
        note: texts.applicationsUseLoseAccess,
        run: ({ id }) => call('api-keys.remove', { id }),
      }}
      mayChange={({ permission }) => mayMakeFull || permission !== 'full_access'}
      acts={(key) => [{ label: texts.usage, needs: 'api-keys.uses', onChoose: () => setShown(key) }]}
    >
      <Dialog
        title={texts.apiKeyCreated}
        note={texts.copyNowNotShown}
        isOpen={token !== null}
        onClose={() => setToken(null)}
      >
        {token && <Copyable text={token} what="key" isLong />}
      </Dialog>
      <Dialog
        title={texts.usageOf(shown?.name || 'the key')}
        isWide
        isOpen={shown !== null}
        onClose={() => setShown(null)}
      >
        {shown && <KeyUses id={shown.id} />}
      </Dialog>
    </ResourcePage>
  )
}
