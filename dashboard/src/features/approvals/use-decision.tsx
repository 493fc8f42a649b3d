import { type ReactNode, useState } from 'react'
import { call, type Reply } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { toast } from '../../ui/toast.tsx'
import '../../ui/bulk-bar.css'
import { type Approval, groupAlike, recipientsOf } from './groups.ts'
import { nameOf, subjectOf } from './names.tsx'
import { texts } from './texts.ts'

export type Decision = 'approve' | 'refuse'
type Decided = Reply<'approvals.decide'>['data'][number]

/** So many in one call. */
const MAX_BATCH = 100

interface Asked {
  readonly decision: Decision
  /** As they were when it was asked: what comes in the meantime is not decided with them. */
  readonly items: readonly Approval[]
}

interface Late {
  readonly item: Approval
  readonly why: string
}

/** Decides about one or many, after a question or without, and says where somebody else was first. */
export function useDecision(onDone?: () => void) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const [late, setLate] = useState<readonly Late[]>([])
  const deciding = useAct({
    async run({ decision, items }: Asked) {
      const decided: Decided[] = []
      for (let at = 0; at < items.length; at += MAX_BATCH) {
        const ids = items.slice(at, at + MAX_BATCH).map(({ id }) => id)
        const { data } = await call('approvals.decide', { body: { decision, ids } })
        decided.push(...data)
      }
      return decided
    },
    refresh: ['approvals', 'emails'],
  })
  const decide = async (wanted: Asked) => {
    const outcomes = new Map((await deciding.mutateAsync(wanted)).map((one) => [one.id, one]))
    const missed = wanted.items.flatMap((item) => {
      const why = lateness(outcomes.get(item.id))
      return why === null ? [] : [{ item, why }]
    })
    const done = wanted.items.length - missed.length
    if (done > 0) toast(texts.dialog[wanted.decision].done(done))
    if (missed.length === 1 && done === 0) toast(missed[0]!.why, { isError: true })
    else setLate(missed)
    onDone?.()
  }
  const dialogs: ReactNode = (
    <>
      <Confirm
        title={asked ? texts.dialog[asked.decision].title(asked.items.length) : ''}
        note={asked ? noteOf(asked) : ''}
        act={asked ? texts.dialog[asked.decision].act(asked.items.length) : ''}
        look={asked?.decision === 'refuse' ? 'danger' : 'primary'}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() => decide(asked!)}
      >
        {asked && asked.items.length > 1 && <Alike items={asked.items} />}
      </Confirm>
      <Dialog title={texts.late.title(late.length)} isOpen={late.length > 0} onClose={() => setLate([])}>
        <ul className="bulk-failures">
          {late.map(({ item, why }) => (
            <li key={item.id}>
              <strong>{nameOf(item)}</strong>
              <span className="muted">{why}</span>
            </li>
          ))}
        </ul>
        <div className="actions">
          <Button onClick={() => setLate([])}>{texts.late.close}</Button>
        </div>
      </Dialog>
    </>
  )
  return {
    ask: (decision: Decision, items: readonly Approval[]) => setAsked({ decision, items }),
    decide: (decision: Decision, items: readonly Approval[]) => void decide({ decision, items }).catch(() => {}),
    isBusy: deciding.isPending,
    dialogs,
  }
}

const noteOf = ({ decision, items }: Asked) =>
  decision === 'approve'
    ? texts.dialog.approve.note(items.reduce((sum, item) => sum + recipientsOf(item).length, 0))
    : texts.dialog.refuse.note(items.length)

/** What is decided about, what is alike said once. */
const Alike = ({ items }: { items: readonly Approval[] }) => (
  <ul className="bulk-failures">
    {groupAlike(items).map(({ key, first, items: alike }) => (
      <li key={key}>
        <strong>{texts.dialog.line(formatNumber(alike.length), subjectOf(first))}</strong>
        <span className="muted">{first.from}</span>
      </li>
    ))}
  </ul>
)

/** Why it was not decided now. Null: it was. */
function lateness(decided: Decided | undefined): string | null {
  if (decided === undefined || decided.outcome === 'not_found') return texts.late.gone
  const { outcome, status, decided_by: who, message } = decided
  if (outcome === 'decided') return null
  if (message !== null) return message
  switch (status) {
    case 'approved':
      return who ? texts.late.approvedBy(who) : texts.late.approved
    case 'refused':
      return who ? texts.late.refusedBy(who) : texts.late.refused
    case 'expired':
      return texts.late.expired
    default:
      return texts.late.canceled
  }
}
