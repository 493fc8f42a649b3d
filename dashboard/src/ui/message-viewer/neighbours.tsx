import { useNavigate, useRouterState } from '@tanstack/react-router'
import type { Input } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { IconButton } from '../button.tsx'
import { usePageKeys } from '../page-keys.ts'
import { texts } from './texts.ts'

type List = 'emails.list' | 'emails.receiving.list' | 'approvals.list'
type PageOfMail = '/emails/$id' | '/received/$id' | '/approvals/$id'

interface NeighboursProps {
  readonly id: string
  readonly list: List
  readonly pageOfOne: PageOfMail
}

/** To the mails above and below this one, in the list that it was opened from: with the filters of that, or without any. */
export function Neighbours({ id, list, pageOfOne }: NeighboursProps) {
  const navigate = useNavigate()
  const listInput = useRouterState({ select: ({ location }) => location.state.listInput })
  const [previous, next] = [useNeighbour(list, listInput, { before: id }), useNeighbour(list, listInput, { after: id })]
  const stepTo = (to: string | undefined): Step =>
    to === undefined
      ? undefined
      : // The list is one step back, however many mails were looked at.
        () => navigate({ to: pageOfOne, params: { id: to }, search: (old) => old, state: (old) => old, replace: true })
  return <StepButtons onPrevious={stepTo(previous)} onNext={stepTo(next)} />
}

/** The id of the mail above or below a place in a list. */
export function useNeighbour(
  list: List,
  listInput: object | undefined,
  cursor: { before: string } | { after: string },
) {
  const page = useCall(list, { ...listInput, ...cursor, limit: 1 } as Input<List>)
  return page.data?.data[0]?.id
}

type Step = (() => void) | undefined

/** Two buttons, and `k` and `j`. */
export function StepButtons({ onPrevious, onNext }: { onPrevious: Step; onNext: Step }) {
  usePageKeys(({ key }) => {
    const step = key === 'j' ? onNext : key === 'k' ? onPrevious : undefined
    step?.()
    return step !== undefined
  })
  return (
    <>
      <IconButton icon="up" label={texts.previous} aria-keyshortcuts="k" disabled={!onPrevious} onClick={onPrevious} />
      <IconButton icon="down" label={texts.next} aria-keyshortcuts="j" disabled={!onNext} onClick={onNext} />
    </>
  )
}
