import { useState } from 'react'
import { CreateApiKey, UpdateApiKey } from '../../../../src/features/api-keys/schema.ts'
import { call, type Item } from '../../api.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Badge } from '../../ui/badge.tsx'
import { useChoices } from '../../ui/choices.ts'
import { Copyable } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { rich } from '../../ui/rich.tsx'
import { readTime, Time } from '../../ui/time.tsx'
import { KeyUses } from './key-uses.tsx'
import { texts } from './texts.ts'

type Key = Item<'api-keys.details.list'>

const isOver = ({ expires_at }: Key) => expires_at !== null && readTime(expires_at).getTime() <= Date.now()

const SENDING = { value: 'sending_access', label: texts.permissions.sending }
const PERMISSIONS = [{ value: 'full_access', label: texts.permissions.full }, SENDING]

export function ApiKeysPage() {
  const [token, setToken] = useState<string | null>(null)
  const [shown, setShown] = useState<Key | null>(null)
  const domains = useChoices('domains.list')
  const mayMakeFull = useAllowed()('full_keys')
  const mayOf = ({ permission, domain_id }: Key) => {
    if (permission === 'full_access') return texts.permissions.full
    if (domain_id === null) return texts.permissions.sending
    const domain = domains.find(({ value }) => value === domain_id)
    return domain ? texts.permissions.sendingFrom(domain.label) : texts.permissions.sendingFromUnknownDomain
  }
  return (
    <ResourcePage
      title={texts.title}
      one={texts.one}
      icon="key"
      about={texts.about}
      list="api-keys.details.list"
      input={{}}
      nameOf={({ name }) => name}
      columns={[
        {
          name: texts.columns.name,
          kind: 'title',
          cell: ({ name }) => name || <span className="muted">{texts.unnamed}</span>,
        },
        { name: texts.columns.token, cell: ({ token_end }) => <code>re_…{token_end}</code> },
        { name: texts.columns.permission, cell: mayOf },
        {
          name: texts.columns.lastUsed,
          cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : texts.neverUsed),
        },
        {
          name: texts.columns.expires,
          cell: (key) =>
            isOver(key) ? (
              <Badge word={texts.expired} tone="bad" />
            ) : key.expires_at ? (
              <Time at={key.expires_at} />
            ) : (
              texts.neverExpires
            ),
        },
        {
          name: texts.columns.created,
          kind: 'time',
          cell: ({ created_at, created_by }) => {
            const time = <Time at={created_at} />
            return created_by
              ? rich(texts.createdBy, { time, user: <span className="muted">{created_by}</span> })
              : time
          },
        },
      ]}
      create={{
        shape: CreateApiKey,
        act: texts.create,
        fields: [
          { name: 'name', label: texts.fields.name.label, placeholder: texts.fields.name.placeholder },
          {
            name: 'permission',
            label: texts.fields.permission.label,
            hint: texts.fields.permission.hint,
            options: mayMakeFull ? PERMISSIONS : [SENDING],
          },
          {
            name: 'domain_id',
            label: texts.fields.domain.label,
            hint: texts.fields.domain.hint,
            options: domains,
          },
          {
            name: 'expires_at',
            label: texts.fields.expires.label,
            hint: texts.fields.expires.hint,
            offers: ['in 30 days', 'in 90 days', 'in 1 year'],
          },
        ],
        run: (body) => call('api-keys.create', { body }),
        onCreated: (created) => setToken(created.token),
      }}
      edit={{
        shape: UpdateApiKey,
        fields: [{ name: 'name', label: texts.fields.name.label }],
        run: ({ id }, body) => call('api-keys.update', { id, body }),
      }}
      remove={{
        note: texts.deleteNote,
        run: ({ id }) => call('api-keys.remove', { id }),
      }}
      mayChange={({ permission }) => mayMakeFull || permission !== 'full_access'}
      acts={(key) => [{ label: texts.usage.open, needs: 'api-keys.uses', onChoose: () => setShown(key) }]}
    >
      <Dialog
        title={texts.createdDialog.title}
        note={texts.createdDialog.note}
        isOpen={token !== null}
        onClose={() => setToken(null)}
      >
        {token && <Copyable text={token} what={texts.createdDialog.copied} isLong />}
      </Dialog>
      <Dialog
        title={shown?.name ? texts.usage.title(shown.name) : texts.usage.titleUnnamed}
        isWide
        isOpen={shown !== null}
        onClose={() => setShown(null)}
      >
        {shown && <KeyUses id={shown.id} />}
      </Dialog>
    </ResourcePage>
  )
}
