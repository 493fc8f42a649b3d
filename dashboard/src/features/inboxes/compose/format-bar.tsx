import { type FormEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import type { IconName } from '../../../ui/icons.tsx'
import { escapeText } from './plain-text.ts'
import { linkAddress } from './rich-text.ts'

interface Format {
  readonly label: string
  readonly icon: IconName
  readonly command: string
}

const FORMATS: readonly Format[] = [
  { label: 'Bold', icon: 'bold', command: 'bold' },
  { label: 'Italic', icon: 'italic', command: 'italic' },
  { label: 'Bulleted list', icon: 'list', command: 'insertUnorderedList' },
  { label: 'Numbered list', icon: 'numbers', command: 'insertOrderedList' },
]

interface FormatBarProps {
  readonly editor: RefObject<HTMLDivElement | null>
  readonly isLinking: boolean
  readonly setLinking: (isLinking: boolean) => void
}

/** What can be done with the letters that are selected, and what is done with them already. */
export function FormatBar({ editor, isLinking, setLinking }: FormatBarProps) {
  const active = useActive(editor)
  const run = (command: string) => {
    const root = editor.current!
    root.focus()
    keepingCursor(root, () => document.execCommand(command))
  }
  const quote = () => {
    run(active.has('quote') ? 'outdent' : 'indent')
    // The browser writes its own looks beside each quotation.
    for (const quotation of editor.current!.querySelectorAll('blockquote[style]')) quotation.removeAttribute('style')
  }
  return (
    <>
      {isLinking && <LinkForm editor={editor} onClose={() => setLinking(false)} />}
      {/* The selection stays where it is when a button is pressed. */}
      <div
        className="format-bar"
        role="toolbar"
        aria-label="Formatting"
        onMouseDown={(event) => event.preventDefault()}
      >
        {FORMATS.map(({ label, icon, command }) => (
          <IconButton
            key={command}
            icon={icon}
            label={label}
            aria-pressed={active.has(command)}
            onClick={() => run(command)}
          />
        ))}
        <IconButton icon="quote" label="Quote" aria-pressed={active.has('quote')} onClick={quote} />
        <IconButton icon="link" label="Link" aria-pressed={active.has('link')} onClick={() => setLinking(!isLinking)} />
      </div>
    </>
  )
}

/** Chromium leaves the cursor before the first letter of a list that it has made. The letters are the same, so it goes back to where it was. */
function keepingCursor(root: HTMLElement, act: () => void) {
  const selection = getSelection()!
  const { anchorNode, anchorOffset, isCollapsed } = selection
  if (!isCollapsed || anchorOffset === 0 || !(anchorNode instanceof Text)) return act()
  const before = document.createRange()
  before.setStart(root, 0)
  before.setEnd(anchorNode, anchorOffset)
  let left = before.toString().length
  act()
  const letters = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (letters.nextNode()) {
    const { length } = letters.currentNode as Text
    if (left <= length) return selection.collapse(letters.currentNode, left)
    left -= length
  }
}

/** The formats of where the cursor is. */
function useActive(editor: RefObject<HTMLDivElement | null>): ReadonlySet<string> {
  const [active, setActive] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const readFormats = () => {
      const at = getSelection()?.anchorNode ?? null
      const root = editor.current
      if (!root?.contains(at)) return
      const within = (tag: string) => (at instanceof Element ? at : at?.parentElement)?.closest(`.rich-text ${tag}`)
      const commands = FORMATS.map(({ command }) => command).filter((command) => document.queryCommandState(command))
      setActive(new Set([...commands, ...(within('blockquote') ? ['quote'] : []), ...(within('a') ? ['link'] : [])]))
    }
    document.addEventListener('selectionchange', readFormats)
    return () => document.removeEventListener('selectionchange', readFormats)
  }, [editor])
  return active
}

/** Where the selected words lead to. The selection waits until that is said. */
function LinkForm({ editor, onClose }: { editor: RefObject<HTMLDivElement | null>; onClose: () => void }) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [selected] = useState(() => selectionIn(editor.current!))
  const [error, setError] = useState<string | null>(null)
  useEffect(() => input.current!.focus(), [])
  const back = () => {
    editor.current!.focus()
    getSelection()?.removeAllRanges()
    getSelection()?.addRange(selected)
  }
  const end = (act: () => void) => () => {
    back()
    act()
    onClose()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    const written = input.current!.value
    const address = linkAddress(written)
    if (address === null) return setError('Enter a URL or an email address.')
    const insert = selected.collapsed
      ? `<a href="${escapeText(address)}">${escapeText(written.trim())}</a>&nbsp;`
      : null
    end(() =>
      insert === null
        ? document.execCommand('createLink', false, address)
        : document.execCommand('insertHTML', false, insert),
    )()
  }
  const present = linkAt(selected)
  return (
    <form className="link-form" onSubmit={submit} onKeyDown={(event) => event.key === 'Escape' && end(() => {})()}>
      <label htmlFor={id}>Link to</label>
      <input
        ref={input}
        id={id}
        defaultValue={present?.getAttribute('href') ?? ''}
        placeholder="https://…"
        autoComplete="off"
      />
      <Button type="submit">Apply</Button>
      {present && <Button onClick={end(() => document.execCommand('unlink'))}>Remove</Button>}
      {error && <p role="alert">{error}</p>}
    </form>
  )
}

/** What is selected in the editor; in an existing link all of it. */
function selectionIn(root: HTMLElement): Range {
  const selection = getSelection()
  const range = selection?.rangeCount ? selection.getRangeAt(0).cloneRange() : document.createRange()
  if (!root.contains(range.commonAncestorContainer)) range.selectNodeContents(root)
  if (!root.contains(selection?.anchorNode ?? null)) range.collapse(false)
  const link = range.collapsed ? linkAt(range) : null
  if (link) range.selectNodeContents(link)
  return range
}

function linkAt({ startContainer }: Range): HTMLAnchorElement | null {
  const element = startContainer instanceof Element ? startContainer : startContainer.parentElement
  return element?.closest<HTMLAnchorElement>('.rich-text a') ?? null
}
