import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { FormatBar } from './format-bar.tsx'
import { escapeText, markupOfText } from './plain-text.ts'
import { cleanMarkup, markupOf } from './rich-text.ts'
import './rich-editor.css'

interface RichEditorProps {
  /** What it begins with; another `revision` begins anew. */
  readonly html: string
  readonly revision: number
  readonly label: string
  readonly isFocused: boolean
  readonly onChange: (html: string) => void
  readonly onFiles: (files: readonly File[]) => void
}

const EMPTY = '<p><br></p>'

/**
 * A text with paragraphs, bold, italic, lists, links and quotations. The browser edits it by its own commands, and nothing else touches
 * the page inside: so undo takes back everything, pasted text and lists included.
 */
export function RichEditor({ html, revision, label, isFocused, onChange, onFiles }: RichEditorProps) {
  const root = useRef<HTMLDivElement>(null)
  const [isLinking, setLinking] = useState(false)
  const [isEmpty, setEmpty] = useState(html === '')
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed since is in the page already
  useEffect(() => {
    const element = root.current!
    element.innerHTML = cleanMarkup(html) || EMPTY
    setEmpty(element.textContent.trim() === '')
  }, [revision])
  useEffect(() => {
    document.execCommand('defaultParagraphSeparator', false, 'p')
    if (isFocused) focusAtStart(root.current!)
  }, [isFocused])

  const changed = () => {
    const element = root.current!
    setEmpty(element.textContent.trim() === '' && !element.querySelector('li, blockquote'))
    onChange(isNothing(element) ? '' : markupOf(element))
  }
  const press = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'k') return
    event.preventDefault()
    setLinking(true)
  }
  const paste = (event: ClipboardEvent) => {
    event.preventDefault()
    insert(event.clipboardData, onFiles)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    const { files } = event.dataTransfer
    if (files.length > 0) return onFiles([...files])
    placeCursor(event.clientX, event.clientY)
    insert(event.dataTransfer, onFiles)
  }
  return (
    <div className="rich-editor">
      {/* biome-ignore lint/a11y/useSemanticElements: no element of html edits rich text */}
      <div
        ref={root}
        className="rich-text"
        data-empty={isEmpty || undefined}
        contentEditable
        suppressContentEditableWarning
        role="textbox"
        tabIndex={0}
        aria-multiline="true"
        aria-label={label}
        data-placeholder="Write a message"
        onInput={changed}
        onKeyDown={press}
        onPaste={paste}
        onDrop={drop}
      />
      <FormatBar editor={root} isLinking={isLinking} setLinking={setLinking} />
    </div>
  )
}

/** A single line that nothing is written in yet. */
const isNothing = (element: HTMLElement) =>
  element.textContent.trim() === '' && element.querySelectorAll('p, li, blockquote, br').length <= 2

/** The cursor before the first letter: what is quoted stands below. */
function focusAtStart(element: HTMLElement) {
  element.focus()
  const range = document.createRange()
  range.setStart(element.firstElementChild ?? element, 0)
  getSelection()?.removeAllRanges()
  getSelection()?.addRange(range)
}

function placeCursor(x: number, y: number) {
  const position = document.caretPositionFromPoint?.(x, y)
  if (!position) return
  getSelection()?.collapse(position.offsetNode, position.offset)
}

/** Files are attached; html is written anew in the markup of the editor; text comes as it is. */
function insert(data: DataTransfer, onFiles: (files: readonly File[]) => void) {
  const html = data.getData('text/html')
  const text = data.getData('text/plain')
  // Office programs give a picture of the text along with it.
  if (data.files.length > 0 && html === '' && text === '') return onFiles([...data.files])
  const markup = html === '' ? '' : cleanMarkup(html)
  const single = /^<p>((?:(?!<p>).)*)<\/p>$/s.exec(markup)?.[1]
  if (markup !== '') document.execCommand('insertHTML', false, single ?? markup)
  else if (/\n/.test(text)) document.execCommand('insertHTML', false, markupOfText(text))
  else document.execCommand('insertHTML', false, escapeText(text))
}
