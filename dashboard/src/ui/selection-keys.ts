import { type PageKey, usePageKeys } from './page-keys.ts'
import type { Selection } from './selection.ts'
import { texts } from './texts.ts'

const KEYS: readonly PageKey[] = [
  { keys: ['x'], what: texts.selection.keys.row },
  { keys: ['X'], what: texts.selection.keys.range },
  { keys: ['*'], what: texts.selection.keys.all },
  { keys: ['Escape'], what: texts.selection.clear },
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
