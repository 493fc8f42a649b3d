import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { rich } from '../../ui/rich.tsx'
import { RowLink, SelectOne } from '../../ui/row-parts.tsx'
import '../../ui/rows.css'
import '../../ui/table.css'
import type { Selection } from '../../ui/selection.ts'
import { Time } from '../../ui/time.tsx'
import './approval-group.css'
import type { Approval, Group } from './groups.ts'
import { holderOf, nameOf, Recipients, subjectOf } from './names.tsx'
import { texts } from './texts.ts'
import type { Decision } from './use-decision.tsx'

/** The rest is a click away: what is alike says the same. */
const SHOWN = 5

interface GroupProps {
  readonly group: Group
  readonly selection: Selection
  readonly listInput: object
  readonly ask: (decision: Decision, items: readonly Approval[]) => void
}

/** Emails that are alike: what they have in common, said once, and below it who each is for. */
export function ApprovalGroup({ group: { first, items }, selection, listInput, ask }: GroupProps) {
  const [isWhole, setWhole] = useState(false)
  const isMany = items.length > 1
  const shown = isWhole ? items : items.slice(0, SHOWN)
  return (
    <section className="approval-group" aria-label={subjectOf(first)}>
      <header>
        {isMany && <SelectGroup items={items} selection={selection} />}
        <div>
          <h2>{subjectOf(first)}</h2>
          <p className="muted">{rich(texts.sentBy, { from: first.from, holder: holderOf(first) })}</p>
        </div>
        {isMany && (
          <div className="actions">
            <Button needs="approvals.decide" onClick={() => ask('refuse', items)}>
              {texts.refuseAlike(items.length)}
            </Button>
            <Button needs="approvals.decide" look="primary" onClick={() => ask('approve', items)}>
              {texts.approveAlike(items.length)}
            </Button>
          </div>
        )}
      </header>
      <ul className="card-rows active">
        {shown.map((item) => (
          <Row key={item.id} {...{ item, selection, listInput, ask }} isAlone={!isMany} />
        ))}
      </ul>
      {shown.length < items.length && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          {texts.more(items.length - shown.length)}
        </Button>
      )}
    </section>
  )
}

interface RowProps extends Pick<GroupProps, 'selection' | 'listInput' | 'ask'> {
  readonly item: Approval
  readonly isAlone: boolean
}

function Row({ item, selection, listInput, ask, isAlone }: RowProps) {
  const { cc, bcc, scheduled_at, created_at, expires_at } = item
  const name = nameOf(item)
  return (
    <li data-row={item.id} className={selection.selected.includes(item.id) ? 'picked' : ''}>
      <SelectOne id={item.id} name={name} selection={selection} />
      <div>
        <p className="card-title">
          <span>
            <RowLink item={item} pageOfOne="/approvals/$id" listInput={listInput}>
              <Recipients approval={item} />
            </RowLink>
          </span>
          <small className="muted">
            <Time at={created_at} />
          </small>
        </p>
        <p className="card-more">
          {cc && cc.length > 0 && <span title={cc.join(', ')}>{texts.cc(cc.length)}</span>}
          {bcc && bcc.length > 0 && <span title={bcc.join(', ')}>{texts.bcc(bcc.length)}</span>}
          {scheduled_at && <span>{rich(texts.scheduled, { when: <Time at={scheduled_at} exact /> })}</span>}
          <span>{rich(texts.expires, { when: <Time at={expires_at} /> })}</span>
        </p>
      </div>
      <div className="approval-acts">
        <Button
          needs="approvals.decide"
          look={isAlone ? 'plain' : 'quiet'}
          aria-label={texts.refuseNamed(name)}
          onClick={() => ask('refuse', [item])}
        >
          {texts.refuse}
        </Button>
        <Button
          needs="approvals.decide"
          look={isAlone ? 'primary' : 'quiet'}
          aria-label={texts.approveNamed(name)}
          onClick={() => ask('approve', [item])}
        >
          {texts.approve}
        </Button>
      </div>
    </li>
  )
}

function SelectGroup({ items, selection }: Pick<Group, 'items'> & Pick<GroupProps, 'selection'>) {
  const ids = items.map(({ id }) => id)
  const count = ids.filter((id) => selection.selected.includes(id)).length
  return (
    <input
      type="checkbox"
      aria-label={texts.selectGroup(subjectOf(items[0]!))}
      checked={count === ids.length}
      ref={(box) => {
        if (box) box.indeterminate = count > 0 && count < ids.length
      }}
      onChange={() => selection.setMany(ids, count < ids.length)}
    />
  )
}
