import type { Item } from '../../api.ts'

export type Approval = Item<'approvals.list'>

/** Emails that say the same, of the same sender, under the same policy. */
export interface Group {
  readonly key: string
  readonly first: Approval
  readonly items: readonly Approval[]
}

/** What is alike, together: in the order in which the first of each comes. */
export function groupAlike(approvals: readonly Approval[]): readonly Group[] {
  const groups = new Map<string, Approval[]>()
  for (const one of approvals) {
    const key = JSON.stringify([one.policy_id, one.from, one.subject])
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return [...groups].map(([key, items]) => ({ key, first: items[0]!, items }))
}

/** Everybody who would get it. */
export const recipientsOf = ({ to, cc, bcc }: Approval) => [...to, ...(cc ?? []), ...(bcc ?? [])]
