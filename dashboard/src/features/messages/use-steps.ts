import { useCall } from '../../queries.ts'
import type { MessageScope } from './message-scope.ts'
import { asInput, type Messages } from './use-messages.ts'

/** To the messages above and below the open one, also where the page of the list ends. */
export function useSteps({ sandbox }: MessageScope, { rows, filter, opened = '', open }: Messages) {
  const at = rows.findIndex(({ id }) => id === opened)
  const input = { ...asInput(filter), limit: 1 }
  const atEnd = (isEnd: boolean) => ({ sandbox, enabled: at >= 0 && isEnd })
  const isFirst = at === 0
  const isLast = at === rows.length - 1
  const newer = useCall('messages.list', { ...input, before: opened }, atEnd(isFirst)).data?.data[0]?.id
  const older = useCall('messages.list', { ...input, after: opened }, atEnd(isLast)).data?.data[0]?.id
  const stepTo = (id: string | undefined, page?: { before: string } | { after: string }) =>
    id === undefined ? undefined : () => void open(id, page)
  if (at < 0) return { onPrevious: undefined, onNext: undefined }
  return {
    onPrevious: isFirst ? stepTo(newer, { before: opened }) : stepTo(rows[at - 1]?.id),
    onNext: isLast ? stepTo(older, { after: opened }) : stepTo(rows[at + 1]?.id),
  }
}
