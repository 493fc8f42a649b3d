import { type PageKey, usePageKeys } from './page-keys.ts'
import type { Selection } from './selection.ts'
import { texts } from './texts.ts'

const KEYS: readonly PageKey[] = [
  { keys: ['x'], what: texts.selectDeselectRow },
  { keys: ['X'], what: texts.selectRowsUpOne },
  { keys: ['*'], what: texts.selectAllNone },
  { keys: ['Escape'], what: texts.clearSelection },
]

const focusedRow = () => document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row

/** Null: nothing can be selected here. */
export function useSelectionKeys(selection: Selection | null) {
  usePageKeys(
    ({ key }) => {
      if (!selection) return false
      const { selected, select, selectAll, clearSelection } = selection
      const row = focusedRow()
      if (key === '*') selected.length > 0 ? clearSelection() : selectAll()
      else if (key === 'Escape' && selected.length > 0) clearSelection()
      else if ((key === 'x' || key === 'X') && row) select(row, key === 'X')
      else return false
      return true
    },
    selection ? KEYS : NONE,
  )
}

const NONE: readonly PageKey[] = []
