import { useEffect, useRef } from 'react'
import type { Editing } from './editing.ts'

/** What is typed into a field is undone there, by the browser. */
const TEXT_FIELDS = 'input:not([type=checkbox]), textarea, [contenteditable=true], [role=dialog]'

/** Ctrl-Z and Ctrl-Shift-Z (or Ctrl-Y); on a Mac with the command key. */
export function useUndoKeys(editing: Pick<Editing, 'undo' | 'redo'>) {
  const latest = useRef(editing)
  latest.current = editing
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return
      if ((event.target as HTMLElement).closest(TEXT_FIELDS)) return
      const key = event.key.toLowerCase()
      if (key !== 'z' && key !== 'y') return
      event.preventDefault()
      if (key === 'y' || event.shiftKey) latest.current.redo()
      else latest.current.undo()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}
