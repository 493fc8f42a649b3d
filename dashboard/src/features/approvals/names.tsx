import { formatNumber } from '../../ui/locale.ts'
import type { Approval } from './groups.ts'
import { texts } from './texts.ts'

export const subjectOf = ({ subject }: Approval) => subject || texts.noSubject

/** Whose policy holds it. What was deleted has no name any more. */
export const holderOf = ({ holder: { kind, name } }: Approval) =>
  name ? texts.holders[kind](name) : texts.deletedHolder[kind]

export const nameOf = (approval: Approval) => `“${subjectOf(approval)}” to ${approval.to[0] ?? '–'}`

export const Recipients = ({ approval: { to } }: { approval: Approval }) => (
  <span title={to.join(', ')}>
    {to[0]}
    {to.length > 1 && <span className="muted"> {texts.otherRecipients(formatNumber(to.length - 1))}</span>}
  </span>
)
