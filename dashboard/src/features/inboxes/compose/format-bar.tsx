import type { ChainedCommands, Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import type { IconName } from '../../../ui/icons.tsx'
import { texts } from '../texts.ts'
import { linkAddress } from './rich-text.ts'

interface Format {
  readonly label: string
  readonly icon: IconName
  /** The node or mark that it makes. */
  readonly name: string
  readonly toggle: (chain: ChainedCommands) => ChainedCommands
}

const FORMATS: readonly Format[] = [
  { label: texts.format.bold, icon: 'bold', name: 'bold', toggle: (chain) => chain.toggleBold() },
  { label: texts.format.italic, icon: 'italic', name: 'italic', toggle: (chain) => chain.toggleItalic() },
  { label: texts.format.bulletedList, icon: 'list', name: 'bulletList', toggle: (chain) => chain.toggleBulletList() },
  {
    label: texts.format.numberedList,
    icon: 'numbers',
    name: 'orderedList',
    toggle: (chain) => chain.toggleOrderedList(),
  },
  { label: texts.format.quote, icon: 'quote', name: 'blockquote', toggle: (chain) => chain.toggleBlockquote() },
]

interface FormatBarProps {
  readonly editor: Editor
  readonly isLinking: boolean
  readonly setLinking: (isLinking: boolean) => void
}

/** What can be done with the letters that are selected, and what is done with them already. */
export function FormatBar({ editor, isLinking, setLinking }: FormatBarProps) {
  const active = useEditorState({
    editor,
    selector: ({ editor: now }) => [...FORMATS.map(({ name }) => name), 'link'].filter((name) => now.isActive(name)),
  })
  return (
    <>
      {isLinking && <LinkForm editor={editor} onClose={() => setLinking(false)} />}
      {/* The selection stays where it is when a button is pressed. */}
      <div
        className="format-bar"
        role="toolbar"
        aria-label={texts.format.toolbar}
        onMouseDown={(event) => event.preventDefault()}
      >
        {FORMATS.map(({ label, icon, name, toggle }) => (
          <IconButton
            key={name}
            icon={icon}
            label={label}
            aria-pressed={active.includes(name)}
            onClick={() => toggle(editor.chain().focus()).run()}
          />
        ))}
        <IconButton
          icon="link"
          label={texts.format.link}
          aria-pressed={active.includes('link')}
          onClick={() => setLinking(!isLinking)}
        />
      </div>
    </>
  )
}

/** Where the selected words lead to; in an existing link all of it. */
function LinkForm({ editor, onClose }: { editor: Editor; onClose: () => void }) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [present] = useState(() => String(editor.getAttributes('link').href ?? ''))
  const [error, setError] = useState<string | null>(null)
  useEffect(() => input.current!.focus(), [])
  const end = (act: (chain: ChainedCommands) => ChainedCommands) => {
    act(editor.chain().focus()).run()
    onClose()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    const written = input.current!.value
    const href = linkAddress(written)
    if (href === null) return setError(texts.format.linkInvalid)
    const link = { type: 'text', text: written.trim(), marks: [{ type: 'link', attrs: { href } }] }
    if (editor.state.selection.empty && present === '')
      return end((chain) => chain.insertContent([link, { type: 'text', text: ' ' }]))
    end((chain) => chain.extendMarkRange('link').setLink({ href }))
  }
  return (
    <form
      className="link-form"
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && end((chain) => chain)}
    >
      <label htmlFor={id}>{texts.format.linkTo}</label>
      <input ref={input} id={id} defaultValue={present} placeholder={texts.format.linkPlaceholder} autoComplete="off" />
      <Button type="submit">{texts.format.applyLink}</Button>
      {present && (
        <Button onClick={() => end((chain) => chain.extendMarkRange('link').unsetLink())}>
          {texts.format.removeLink}
        </Button>
      )}
      {error && <p role="alert">{error}</p>}
    </form>
  )
}
