import { useNavigate } from '@tanstack/react-router'
import { ClaimDomain } from '../../../../src/features/domains/schema.ts'
import { call, type Input } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

/** A name belongs to one team. Another one gets it by showing that it has the DNS. */
export function ClaimDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  const claim = useAct({
    run: (body: Input<'domains.claims.create'>['body']) => call('domains.claims.create', { body }),
    refresh: ['domains'],
    done: texts.claimDialog.done,
  })
  return (
    <Dialog title={texts.claimDialog.title} note={texts.claimDialog.note} isOpen={isOpen} onClose={onClose}>
      <SchemaForm
        shape={ClaimDomain}
        fields={[{ name: 'name', label: texts.fields.name.label, placeholder: texts.fields.name.placeholder }]}
        act={texts.claimDialog.submit}
        onSubmit={async (values) => {
          const { domain_id } = await claim.mutateAsync(values)
          if (domain_id) navigate({ to: '/domains/$id', params: { id: domain_id } })
        }}
      />
    </Dialog>
  )
}

/** Shown for as long as the claim waits for its proof. */
export function ClaimCard({ domain }: { domain: string }) {
  const { data: claim } = useCall(
    'domains.claims.get',
    { id: domain },
    { refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 5_000 : false) },
  )
  const verify = useAct({
    run: () => call('domains.claims.verify', { id: domain }),
    refresh: ['domains'],
    done: texts.claim.verificationStarted,
  })
  if (!claim || (claim.status !== 'pending' && claim.status !== 'blocked')) return null
  return (
    <Card
      title={texts.claim.title}
      actions={
        <Button look="primary" needs="domains.claims.verify" isBusy={verify.isPending} onClick={() => verify.mutate()}>
          {texts.claim.verify}
        </Button>
      }
    >
      <p className="muted">{claim.blocked_reason ? texts.claim.blocked : texts.claim.pending}</p>
      <Facts
        facts={[
          [texts.claim.facts.status, <Badge key="state" word={claim.status} />],
          [texts.claim.facts.type, claim.record.type],
          [texts.claim.facts.name, <Copyable key="name" text={claim.record.name} what={texts.copied.name} />],
          [texts.claim.facts.value, <Copyable key="value" text={claim.record.value} what={texts.copied.value} />],
          [texts.claim.facts.expires, <Time key="until" at={claim.expires_at} exact />],
        ]}
      />
    </Card>
  )
}
