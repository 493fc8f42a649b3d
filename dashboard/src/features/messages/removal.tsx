import { Confirm } from '../../ui/dialog.tsx'
import { activeFilters, searchText } from '../../ui/filter-values.ts'
import type { MessageActs } from './acts.ts'
import { FILTERS, type Filter, isEmpty } from './filter.ts'
import { texts } from './texts.ts'
import { asInput } from './use-messages.ts'

/** Some messages, or all that fit a filter. */
export type ToRemove =
  | { readonly ids: readonly string[]; readonly filter?: undefined }
  | { readonly filter: Filter; readonly ids?: undefined }

interface RemovalProps {
  readonly what: ToRemove | null
  readonly acts: MessageActs
  readonly onClose: (wasRemoved: boolean) => void
}

/** Before mail is deleted: which, and what that means. */
export function Removal({ what, acts, onClose }: RemovalProps) {
  const run = async () => {
    if (what?.ids) await acts.remove.mutateAsync(what.ids)
    else if (what) await acts.removeAll.mutateAsync(asInput(what.filter))
    onClose(true)
  }
  return (
    <Confirm
      title={titleOf(what)}
      note={
        what?.filter && !isEmpty(what.filter)
          ? texts.deleteDialog.noteResults(wordsOf(what.filter))
          : texts.deleteDialog.note
      }
      act={texts.deleteDialog.confirm}
      isOpen={what !== null}
      onClose={() => onClose(false)}
      onConfirm={run}
    />
  )
}

function titleOf(what: ToRemove | null): string {
  if (!what) return ''
  if (what.filter) return isEmpty(what.filter) ? texts.deleteDialog.titleAll : texts.deleteDialog.titleResults
  return texts.deleteDialog.title(what.ids.length)
}

function wordsOf(filter: Filter): string {
  const text = searchText(FILTERS, filter)
  return [...(text ? [`“${text}”`] : []), ...activeFilters(FILTERS, filter).map(({ label }) => label)].join(', ')
}
