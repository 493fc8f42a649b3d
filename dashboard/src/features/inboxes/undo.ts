import { toast } from '../../ui/toast.tsx'
import { texts } from './texts.ts'

/** The last thing that can be taken back, for the key `z`. */
let lastUndo: (() => void) | null = null

/** Says what was done, and offers to take it back: by the button, or by the key `z` for as long as nothing else was done. */
export function offerUndo(text: string, run: () => unknown, { shownMs }: { readonly shownMs?: number } = {}) {
  const undo = () => {
    if (lastUndo === undo) lastUndo = null
    dismiss()
    void run()
  }
  lastUndo = undo
  const dismiss = toast(text, {
    act: { label: texts.threadActs.undo, run: undo },
    ...(shownMs !== undefined && { shownMs }),
  })
  return () => {
    if (lastUndo === undo) lastUndo = null
    dismiss()
  }
}

export function undoLast() {
  const undo = lastUndo
  lastUndo = null
  undo?.()
}
