import type { RefObject } from 'react'
import { Button } from './button.tsx'
import { useSearchParams } from './search-params.ts'
import './pager.css'
import { texts } from './texts.ts'

interface Cursors {
  readonly after?: string | undefined
  readonly before?: string | undefined
}

/** Whether something is above this page of a list. */
export const hasNewer = ({ after, before }: Cursors, hasMore: boolean) =>
  after !== undefined || (before !== undefined && hasMore)

interface PagerProps {
  readonly label: string
  readonly items: readonly { readonly id: string }[]
  readonly hasMore: boolean
  /** Where the list begins: another page of it is read from there. */
  readonly top: RefObject<HTMLElement | null>
}

/** To the pages before and after this one. Nothing where there is only one. */
export function Pager({ label, items, hasMore, top }: PagerProps) {
  const { words, choose } = useSearchParams()
  const isNewer = hasNewer(words, hasMore)
  const isOlder = words.before !== undefined || hasMore
  if (!isOlder && !isNewer) return null
  const turn = (cursor: { after?: string; before?: string }) => {
    // Where this page was left is known by then: Back leads there.
    void choose(cursor).then(() => top.current?.scrollIntoView({ block: 'start' }))
  }
  return (
    <nav className="pager" aria-label={texts.pager.label(label)}>
      <Button
        disabled={!isNewer}
        onClick={() => turn(items.length > 0 ? { before: items[0]!.id } : {})}
        data-key="newer"
      >
        {texts.pager.newer}
      </Button>
      <Button
        disabled={!isOlder || items.length === 0}
        onClick={() => turn({ after: items.at(-1)!.id })}
        data-key="older"
      >
        {texts.pager.older}
      </Button>
    </nav>
  )
}
