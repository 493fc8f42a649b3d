import { bareAddress } from '../../../../src/mail/bare-address.ts'
import { formatNumber } from '../../ui/locale.ts'
import type { Approval } from './groups.ts'
import { texts } from './texts.ts'

export const subjectOf = ({ subject }: Approval) => subject || texts.noSubject

/** Whose policy holds it. What was deleted has no name any more. */
export const holderOf = ({ holder: { kind, name } }: Approval) =>
  name ? texts.holders[kind](name) : texts.deletedHolder[kind]

/** So many are named before they are counted: whoever decides sees who gets it, and not what its sender calls them. */
const NAMED = 3

export const nameOf = (approval: Approval) => `“${subjectOf(approval)}” to ${recipientsIn(approval)}`

const recipientsIn = ({ to, cc, bcc }: Approval) =>
  [
    to.slice(0, NAMED).map(bareAddress).join(', ') || '–',
    ...(to.length > NAMED ? [texts.otherRecipients(formatNumber(to.length - NAMED))] : []),
    ...(cc?.length ? [texts.cc(cc.length)] : []),
    ...(bcc?.length ? [texts.bcc(bcc.length)] : []),
  ].join(' ')

export const Recipients = ({ approval: { to } }: { approval: Approval }) => (
  <span title={to.join(', ')}>
    {to.slice(0, NAMED).map(bareAddress).join(', ')}
    {to.length > NAMED && <span className="muted"> {texts.otherRecipients(formatNumber(to.length - NAMED))}</span>}
  </span>
)
