import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CreateDomain } from '../../../../src/features/domains/schema.ts'
import { call } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'
import { ClaimDialog } from './claim.tsx'

export function DomainsPage() {
  const navigate = useNavigate()
  const [isClaiming, setClaiming] = useState(false)
  return (
    <ResourcePage
      title="Domains"
      one="domain"
      icon="globe"
      about="Where your mail comes from. Add one, set the DNS records that it shows, and verify it."
      list="domains.list"
      input={{}}
      nameOf={({ name }) => name}
      pageOfOne="/domains/$id"
      columns={[
        { name: 'Name', kind: 'main', cell: ({ name }) => name },
        { name: 'Status', cell: ({ status }) => <Badge word={status} /> },
        { name: 'For', kind: 'aside', cell: ({ capabilities }) => enabled(capabilities) },
        { name: 'Created', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      create={{
        shape: CreateDomain,
        fields: [
          { name: 'name', label: 'Name', placeholder: 'example.com' },
          { name: 'custom_return_path', label: 'Return path', hint: 'The subdomain that bounces come back to.' },
          { name: 'dkim', label: 'DKIM key', hint: 'RSA is what every receiver understands.' },
          { name: 'tls', label: 'TLS', hint: 'Enforced: mail waits rather than travel unencrypted.' },
        ],
        run: (body) => call('domains.create', { body }),
        onCreated: ({ id }) => navigate({ to: '/domains/$id', params: { id } }),
      }}
      actions={
        <Button needs="domains.claims.create" onClick={() => setClaiming(true)}>
          Claim a domain
        </Button>
      }
      remove={{
        note: 'Nothing can be sent from it any more, and the keys that are bound to it are deleted.',
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
