import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CreateDomain } from '../../../../src/features/domains/schema.ts'
import { call } from '../../api.ts'
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
      title={texts.domains}
      one="domain"
      icon="globe"
      about={texts.domainsYouSendFrom}
      list="domains.list"
      input={{}}
      nameOf={({ name }) => name}
      pageOfOne="/domains/$id"
      columns={[
        { name: texts.name, kind: 'title', cell: ({ name }) => name },
        { name: texts.status, kind: 'status', cell: ({ status }) => <Badge word={status} /> },
        { name: texts.capabilities, kind: 'aside', cell: ({ capabilities }) => enabled(capabilities) },
        { name: texts.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      create={{
        shape: CreateDomain,
        fields: [
          { name: 'name', label: texts.name, placeholder: 'example.com' },
          { name: 'custom_return_path', label: texts.returnPath, hint: texts.subdomainReceivesBounces },
          { name: 'dkim', label: texts.dkimKey, hint: texts.rsaWorksWithEvery },
          { name: 'tls', label: 'TLS', hint: texts.enforcedEmailDeferredRather },
        ],
        run: (body) => call('domains.create', { body }),
        onCreated: ({ id }) => navigate({ to: '/domains/$id', params: { id } }),
      }}
      actions={
        <Button needs="domains.claims.create" onClick={() => setClaiming(true)}>
          {texts.claimDomain}
        </Button>
      }
      remove={{
        note: texts.youCanNoLonger,
        run: ({ id }) => call('domains.remove', { id }),
      }}
    >
      <ClaimDialog isOpen={isClaiming} onClose={() => setClaiming(false)} />
    </ResourcePage>
  )
}

const enabled = (capabilities: Readonly<Record<string, string>>) =>
  Object.entries(capabilities)
    .filter(([, state]) => state === 'enabled')
    .map(([name]) => name)
    .join(', ')
