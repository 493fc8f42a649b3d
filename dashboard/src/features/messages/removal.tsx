import { Confirm } from '../../ui/dialog.tsx'
import type { MessageActs } from './acts.ts'
import { chipOf, type Filter, isEmpty, TERMS } from './filter.ts'
import { asInput } from './use-messages.ts'

/** Some messages, or all that fit a filter. */
export type ToRemove =
  | { readonly ids: readonly string[]; readonly filter?: undefined }
  | { readonly filter: Filter; readonly ids?: undefined }

const MEANING =
  'Deleted messages are removed from all lists, with their attachments, events and statistics. This cannot be undone.'

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
      note={what?.filter && !isEmpty(what.filter) ? `${wordsOf(what.filter)}. ${MEANING}` : MEANING}
      act="Delete permanently"
      isOpen={what !== null}
      onClose={() => onClose(false)}
      onConfirm={run}
    />
  )
}

function titleOf(what: ToRemove | null): string {
  if (!what) return ''
  if (what.filter) return isEmpty(what.filter) ? 'Delete all messages?' : 'Delete all messages that match the search?'
  return what.ids.length === 1 ? 'Delete this message?' : `Delete ${what.ids.length} messages?`
}

const wordsOf = (filter: Filter) =>
  [
    ...(filter.q ? [`“${filter.q}”`] : []),
    ...TERMS.flatMap((name) => (filter[name] ? [chipOf(name, filter[name])] : [])),
  ].join(', ')
