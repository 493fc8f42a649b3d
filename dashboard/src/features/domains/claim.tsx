import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ClaimDomain } from '../../../../src/features/domains/schema.ts'
import { ApiProblem, call, type Input } from '../../api.ts'
import { keyOf } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Time } from '../../ui/time.tsx'

/** A name belongs to one team. Another one gets it by showing that it has the DNS. */
export function ClaimDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  const claim = useAct({
    run: (body: Input<'domains.claims.create'>['body']) => call('domains.claims.create', { body }),
    refresh: ['domains'],
    done: 'Claimed: now prove it',
  })
  return (
    <Dialog
      title="Claim a domain"
      note="For a domain that another team of this installation has. Prove by its DNS that it is yours, and it moves to you."
      isOpen={isOpen}
      onClose={onClose}
    >
      <SchemaForm
        shape={ClaimDomain}
        fields={[{ name: 'name', label: 'Name', placeholder: 'example.com' }]}
        act="Claim it"
        onSubmit={async (values) => {
          const { domain_id } = await claim.mutateAsync(values)
          if (domain_id) navigate({ to: '/domains/$id', params: { id: domain_id } })
        }}
      />
    </Dialog>
  )
}

/** Null: it was never claimed, it is simply there. */
const readClaim = (domain: string) =>
  call('domains.claims.get', { id: domain }).catch((error) => {
    if (error instanceof ApiProblem && error.status === 404) return null
    throw error
  })

/** Shown for as long as the claim waits for its proof. */
export function ClaimCard({ domain }: { domain: string }) {
  const { data: claim } = useQuery({
    queryKey: keyOf('domains.claims.get', { id: domain }),
    queryFn: () => readClaim(domain),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 5_000 : false),
  })
  const verify = useAct({
    run: () => call('domains.claims.verify', { id: domain }),
    refresh: ['domains'],
    done: 'Looking for the record…',
  })
  if (!claim || (claim.status !== 'pending' && claim.status !== 'blocked')) return null
  return (
    <Card
      title="Claim"
      actions={
        <Button look="primary" needs="domains.claims.verify" isBusy={verify.isPending} onClick={() => verify.mutate()}>
          Verify the claim
        </Button>
      }
    >
      <p className="muted">
        {claim.blocked_reason
          ? 'The proof is there, but its present owner has scheduled emails. The domain moves when they have left.'
          : 'Another team has this domain. Set this record in its DNS to show that it is yours.'}
      </p>
      <Facts
        facts={[
          ['State', <Badge key="state" word={claim.status} />],
          ['Type', claim.record.type],
          ['Name', <Copyable key="name" text={claim.record.name} what="the name" />],
          ['Value', <Copyable key="value" text={claim.record.value} what="the value" />],
          ['Until', <Time key="until" at={claim.expires_at} exact />],
        ]}
      />
    </Card>
  )
}
