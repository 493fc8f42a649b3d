import type { Bounce, ReplyClassification } from '../../../../mail/outcome.ts'

/** What the ledger keeps with a reply of what it was understood as, and with one that was the end, of what the event said of it. */
export interface StoredClassification extends Pick<ReplyClassification, 'class' | 'rule' | 'about' | 'means'> {
  readonly bounce?: Bounce
}

/** Undefined for what nobody understood: a yes, or words of ours. */
export function keptOf({
  class: replyClass,
  rule,
  about,
  means,
}: ReplyClassification): StoredClassification | undefined {
  if (replyClass === undefined || rule === undefined || means === undefined) return undefined
  return { class: replyClass, rule, means, ...(about && { about }) }
}
