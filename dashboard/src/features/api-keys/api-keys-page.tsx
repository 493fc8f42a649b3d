import { useState } from 'react'
import { CreateApiKey, UpdateApiKey } from '../../../../src/features/api-keys/schema.ts'
import { call } from '../../api.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Badge } from '../../ui/badge.tsx'
import { useChoices } from '../../ui/choices.ts'
import { Copyable } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PolicyBadge } from '../../ui/policy/policy-section.tsx'
import { usePolicyDraft } from '../../ui/policy/use-policy-draft.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { rich } from '../../ui/rich.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { isExpired, type Key, usePermissionText } from './key.ts'
import { NewKeyPolicy } from './new-key-policy.tsx'
import './api-keys.css'
import { texts } from './texts.ts'

const SENDING = { value: 'sending_access', label: texts.permissions.sending }
const PERMISSIONS = [{ value: 'full_access', label: texts.permissions.full }, SENDING]

export function ApiKeysPage() {
  const [token, setToken] = useState<string | null>(null)
  const [isGuarded, setGuarded] = useState(false)
  const policy = usePolicyDraft(null)
  const domains = useChoices('domains.list')
  const permissionOf = usePermissionText()
  const mayMakeFull = useAllowed()('full_keys')
  return (
    <ResourcePage
      title={texts.title}
      one={texts.one}
      icon="key"
      about={texts.about}
      list="api-keys.details.list"
      input={{}}
      nameOf={({ name }) => name}
      pageOfOne="/api-keys/$id"
      columns={[
        {
          name: texts.columns.name,
          kind: 'title',
          cell: ({ name }) => name || <span className="muted">{texts.unnamed}</span>,
        },
        { name: texts.columns.token, cell: ({ token_end }) => <code>re_…{token_end}</code> },
        {
          name: texts.columns.permission,
          cell: (key: Key) => (
            <span className="key-permission">
              {permissionOf(key)} <PolicyBadge policy={key.policy} />
            </span>
          ),
        },
        {
          name: texts.columns.lastUsed,
          cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : texts.neverUsed),
        },
        {
          name: texts.columns.expires,
          cell: (key) =>
            isExpired(key) ? (
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
        run: (body) =>
          isGuarded
            ? policy.submit((given) => call('api-keys.create', { body: { ...body, policy: given } }))
            : call('api-keys.create', { body }),
        children: <NewKeyPolicy isGuarded={isGuarded} onGuard={setGuarded} form={policy} />,
        onCreated: ({ token, hint }) => {
          setToken(token)
          if (hint) toast(hint)
        },
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
    >
      <Dialog
        title={texts.createdDialog.title}
        note={texts.createdDialog.note}
        isOpen={token !== null}
        onClose={() => setToken(null)}
      >
        {token && <Copyable text={token} what={texts.createdDialog.copied} isLong />}
      </Dialog>
    </ResourcePage>
  )
}
