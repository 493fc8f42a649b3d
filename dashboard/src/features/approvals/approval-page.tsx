import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCall } from '../../queries.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { MessageFacts } from '../../ui/message-viewer/message-facts.tsx'
import { MessageViewer } from '../../ui/message-viewer/message-viewer.tsx'
import { Neighbours, useNeighbour } from '../../ui/message-viewer/neighbours.tsx'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { type PageKey, usePageKeys } from '../../ui/page-keys.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import type { Approval } from './groups.ts'
import { holderOf, subjectOf } from './names.tsx'
import { texts } from './texts.ts'
import { useDecision } from './use-decision.tsx'

const TONES: Readonly<Record<Approval['status'], Tone>> = {
  waiting: 'busy',
  approved: 'good',
  refused: 'bad',
  expired: 'warn',
  canceled: 'plain',
}

const KEYS: readonly PageKey[] = [
  { keys: ['a'], what: texts.keys.approve },
  { keys: ['r'], what: texts.keys.refuse },
]

/** One email that waits, as its readers would see it, and the decision about it. */
export function ApprovalPage() {
  const { id } = useParams({ from: '/approvals/$id' })
  const approval = useCall('approvals.get', { id })
  if (approval.isPending) return <Loading />
  if (approval.isError) return <Failed error={approval.error} onRetry={() => approval.refetch()} />
  return <OneApproval key={id} approval={approval.data} />
}

function OneApproval({ approval }: { approval: Approval }) {
  const { id, status } = approval
  const isWaiting = status === 'waiting'
  const navigate = useNavigate()
  const older = useNeighbour('approvals.list', {}, { after: id })
  const newer = useNeighbour('approvals.list', {}, { before: id })
  const { ask, decide, isBusy, dialogs } = useDecision(() => {
    const next = older ?? newer
    void (next === undefined
      ? navigate({ to: '/approvals', replace: true })
      : navigate({ to: '/approvals/$id', params: { id: next }, replace: true }))
  })
  usePageKeys(({ key }) => {
    if (!isWaiting || (key !== 'a' && key !== 'r')) return false
    ask(key === 'a' ? 'approve' : 'refuse', [approval])
    return true
  }, KEYS)
  return (
    <Page
      title={subjectOf(approval)}
      heading={
        <>
          {subjectOf(approval)} <Badge word={status} tone={TONES[status]} />
        </>
      }
      actions={
        <>
          {isWaiting && (
            <>
              <Button needs="approvals.decide" isBusy={isBusy} onClick={() => ask('refuse', [approval])}>
                {texts.refuse}
              </Button>
              <Button
                needs="approvals.decide"
                look="primary"
                icon="check"
                isBusy={isBusy}
                onClick={() => decide('approve', [approval])}
              >
                {texts.approve}
              </Button>
            </>
          )}
          <Neighbours id={id} list="approvals.list" pageOfOne="/approvals/$id" />
        </>
      }
    >
      <EmailOf approval={approval} />
      {dialogs}
    </Page>
  )
}

/** The email itself, in the viewer of all mail. */
function EmailOf({ approval }: { approval: Approval }) {
  const { id, status } = approval
  const email = useCall('emails.get', { id })
  const attachments = useCall('emails.attachments.list', { id }).data?.data ?? []
  const facts = <ApprovalFacts approval={approval} />
  if (email.isPending) return <Loading />
  if (email.isError)
    return (
      <>
        <Failed error={email.error} />
        {facts}
      </>
    )
  const { html, text } = email.data
  return (
    <div className="columns">
      <MessageViewer id={id} content={{ html, text, attachments }} isMessage={status === 'approved'} />
      <div>
        {facts}
        <MessageFacts message={email.data} direction="sent" />
      </div>
    </div>
  )
}

function ApprovalFacts({ approval }: { approval: Approval }) {
  const { id, status, decided_at, decided_by, expires_at } = approval
  const decided: (readonly [string, ReactNode])[] =
    status === 'waiting'
      ? [[texts.facts.expires, <Time key="at" at={expires_at} />]]
      : [
          ...(decided_by ? [[texts.facts.decidedBy, decided_by] as const] : []),
          [texts.facts.decided, <Time key="at" at={decided_at} exact />],
        ]
  return (
    <Card title={texts.facts.title}>
      <Facts
        facts={[
          [texts.facts.requestedBy, <Holder key="holder" approval={approval} />],
          [texts.facts.status, <Badge key="status" word={status} tone={TONES[status]} />],
          ...decided,
          ...(status === 'waiting'
            ? []
            : [
                [
                  texts.facts.email,
                  <Link key="email" to="/emails/$id" params={{ id }}>
                    {texts.facts.openEmail}
                  </Link>,
                ] as const,
              ]),
        ]}
      />
    </Card>
  )
}

/** Leads to what it did besides. */
function Holder({ approval }: { approval: Approval }) {
  const { kind, id, name } = approval.holder
  const label = holderOf(approval)
  if (!name) return label
  if (kind === 'api_key')
    return (
      <Link to="/api-keys/$id" params={{ id }}>
        {label}
      </Link>
    )
  if (kind === 'inbox_agent')
    return (
      <Link to="/inboxes/$inbox/agent" params={{ inbox: id }}>
        {label}
      </Link>
    )
  return <Link to="/connected-apps">{label}</Link>
}
