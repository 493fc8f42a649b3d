import type { Editor } from '@tiptap/core'
import { Placeholder } from '@tiptap/extension-placeholder'
import { closeHistory } from '@tiptap/pm/history'
import { EditorContent } from '@tiptap/react'
import { useEffect, useRef, useState } from 'react'
import { useTextEditor } from '../../../editor/use-text-editor.ts'
import { KIT, mailKeys } from './editor-kit.ts'
import { FormatBar } from './format-bar.tsx'
import { markupOfText } from './plain-text.ts'
import { cleanMarkup, editorHtml, markupOfEditor } from './rich-text.ts'
import './rich-editor.css'
import { texts } from '../texts.ts'

interface RichEditorProps {
  /** What it begins with; another `revision` begins anew. */
  readonly html: string
  readonly revision: number
  readonly label: string
  readonly isFocused: boolean
  readonly onChange: (html: string) => void
  readonly onFiles: (files: readonly File[]) => void
}

/** A text with paragraphs, bold, italic, lists, links and quotations, and nothing else: what is pasted becomes that. */
export function RichEditor({ html, revision, label, isFocused, onChange, onFiles }: RichEditorProps) {
  const [isLinking, setLinking] = useState(false)
  const latest = useRef({ onChange, onFiles })
  latest.current = { onChange, onFiles }
  const editor = useTextEditor({
    extensions: [
      KIT,
      Placeholder.configure({ placeholder: texts.compose.bodyPlaceholder }),
      mailKeys(() => setLinking(true)),
    ],
    content: editorHtml(html),
    // The page allows no styles but those of its own files.
    injectCSS: false,
    editorProps: {
      attributes: { class: 'rich-text', role: 'textbox', 'aria-multiline': 'true', 'aria-label': label },
      transformPastedHTML: (pasted) => editorHtml(pasted),
      handlePaste: (view, event) => {
        const { files, html: pasted, text } = contentsOf(event.clipboardData)
        // Office programs give a picture of the text along with it.
        if (files.length > 0 && pasted === '' && text === '') {
          latest.current.onFiles(files)
          return true
        }
        // Undo takes back what was pasted, and not the letters before it.
        view.dispatch(closeHistory(view.state.tr))
        if (pasted !== '' && cleanMarkup(pasted) !== '') return false
        return text.includes('\n') && view.pasteHTML(markupOfText(text))
      },
      handleDrop: (_view, event) => {
        const { files } = contentsOf(event.dataTransfer)
        if (files.length === 0) return false
        event.preventDefault()
        latest.current.onFiles(files)
        return true
      },
    },
    onUpdate: ({ editor: changed }) => latest.current.onChange(markupIn(changed)),
  })
  const shown = useRef(revision)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed since is in the editor already
  useEffect(() => {
    if (!editor || shown.current === revision) return
    shown.current = revision
    editor.commands.setContent(editorHtml(html), { emitUpdate: false })
  }, [revision, editor])
  useEffect(() => {
    // The cursor before the first letter: what is quoted stands below.
    if (isFocused) editor?.commands.focus('start')
  }, [isFocused, editor])
  return (
    <div className="rich-editor">
      <EditorContent editor={editor} />
      {editor && <FormatBar editor={editor} isLinking={isLinking} setLinking={setLinking} />}
    </div>
  )
}

const markupIn = (editor: Editor) => (editor.isEmpty ? '' : markupOfEditor(editor.getHTML()))

const contentsOf = (data: DataTransfer | null) => ({
  files: [...(data?.files ?? [])],
  html: data?.getData('text/html') ?? '',
  text: data?.getData('text/plain') ?? '',
})
