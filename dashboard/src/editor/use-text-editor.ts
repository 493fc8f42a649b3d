import type { Editor } from '@tiptap/core'
import { type UseEditorOptions, useEditor } from '@tiptap/react'

/**
 * A text editor, null until the component is mounted. The library can also make one while rendering, but destroys that one if mounting takes longer
 * than a millisecond.
 */
export const useTextEditor = (options: UseEditorOptions): Editor | null =>
  useEditor({ ...options, immediatelyRender: false })
