import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CreateDomain } from '../../../../src/features/domains/schema.ts'
import { call, type Item } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'
import { ClaimDialog } from './claim.tsx'
import { texts } from './texts.ts'

export function DomainsPage() {
  const navigate = useNavigate()
  const [isClaiming, setClaiming] = useState(false)
  return (
    <ResourcePage
      title={texts.title}
      one={texts.one}
      icon="globe"
      about={texts.about}
      list="domains.list"
      input={{}}
      nameOf={({ name }) => name}
      pageOfOne="/domains/$id"
      columns={[
        { name: texts.columns.name, kind: 'title', cell: ({ name }) => name },
        { name: texts.columns.status, kind: 'status', cell: ({ status }) => <Badge word={status} /> },
        { name: texts.columns.capabilities, kind: 'aside', cell: ({ capabilities }) => enabled(capabilities) },
        { name: texts.columns.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      create={{
        shape: CreateDomain,
        fields: [
          { name: 'name', label: texts.fields.name.label, placeholder: texts.fields.name.placeholder },
          { name: 'custom_return_path', label: texts.fields.returnPath.label, hint: texts.fields.returnPath.hint },
          { name: 'dkim', label: texts.fields.dkim.label, hint: texts.fields.dkim.hint },
          { name: 'tls', label: texts.fields.tls.label, hint: texts.fields.tls.hint },
        ],
        run: (body) => call('domains.create', { body }),
        onCreated: ({ id }) => navigate({ to: '/domains/$id', params: { id } }),
      }}
      actions={
        <Button needs="domains.claims.create" onClick={() => setClaiming(true)}>
          {texts.claimDialog.open}
        </Button>
      }
      remove={{
        note: texts.deleteNote,
        run: ({ id }) => call('domains.remove', { id }),
      }}
    >
      <ClaimDialog isOpen={isClaiming} onClose={() => setClaiming(false)} />
    </ResourcePage>
  )
}

const CAPABILITIES = ['sending', 'receiving'] as const

const enabled = (capabilities: Item<'domains.list'>['capabilities']) =>
  CAPABILITIES.filter((name) => capabilities[name] === 'enabled')
    .map((name) => texts.capabilities[name])
    .join(', ')
