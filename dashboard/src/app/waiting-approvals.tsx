import { useCall } from '../queries.ts'
import { formatNumber } from '../ui/locale.ts'
import { texts } from './texts.ts'

/** One page of the list, which has it read already when it is open. */
const MAX_COUNTED = 100

/** How many emails wait for approval: whoever works elsewhere sees that they are asked. */
export function WaitingApprovals({ className }: { className: string }) {
  const { data } = useCall('approvals.list', { limit: MAX_COUNTED })
  const count = data?.data.length ?? 0
  if (count === 0) return null
  const number = formatNumber(count)
  return (
    <span className={className}>
      <span aria-hidden="true">{data?.has_more ? `${number}+` : number}</span>
      <span className="hidden">{data?.has_more ? texts.rail.waitingMore(number) : texts.rail.waiting(count)}</span>
    </span>
  )
}
