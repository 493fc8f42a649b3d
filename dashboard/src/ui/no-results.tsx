import { Button } from './button.tsx'
import { type Filters, withoutAll } from './filter-values.ts'
import { useSearchParams } from './search-params.ts'
import { Empty } from './states.tsx'
import { texts } from './texts.ts'

interface NoResultsProps {
  /** What is listed: `emails`. */
  readonly many: string
  readonly filters: Filters
}

/** A list that is empty because of what it is filtered by, and the way back to all of it. */
export function NoResults({ many, filters }: NoResultsProps) {
  const { choose } = useSearchParams()
  return (
    <Empty icon="search" title={texts.filters.noResults(many)}>
      <Button onClick={() => choose(withoutAll(filters))}>{texts.filters.clear}</Button>
    </Empty>
  )
}
