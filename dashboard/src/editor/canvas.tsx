import { BubbleMenu, SlashCommand } from '@react-email/editor/ui'
import type { Editor, JSONContent } from '@tiptap/core'
import { EditorContent, EditorContext } from '@tiptap/react'
import { type ReactNode, useMemo, useSyncExternalStore } from 'react'
import { slashItems } from './blocks.tsx'
import { withChips } from './chips.ts'
import { CommandList } from './command-list.tsx'
import { useExtensions } from './extensions.ts'
import { cleanPasted } from './pasted-html.ts'
import type { OfferedVariable, SuggestionMenu } from './suggestion-menu.ts'
import { texts } from './texts.ts'
import { useTextEditor } from './use-text-editor.ts'

interface CanvasOptions {
  readonly content: JSONContent
  readonly isEditable: boolean
  readonly uploadImage: (file: File) => Promise<{ url: string }>
}

/** The text editor behind the canvas, null until it is mounted. Its content is set once; what comes later is put in by `setContent`. */
export function useCanvas({ content, isEditable, uploadImage }: CanvasOptions) {
  const { extensions, variables } = useExtensions(uploadImage)
  const editor = useTextEditor({
    extensions,
    content: withChips(content),
    editable: isEditable,
    editorProps: {
      attributes: { 'aria-label': texts.canvas.label, role: 'textbox', 'aria-multiline': 'true' },
      transformPastedHTML: cleanPasted,
    },
  })
  return { editor, variables }
}

/** What the parts around the canvas read the text editor from. */
export function CanvasProvider({ editor, children }: { editor: Editor; children: ReactNode }) {
  const value = useMemo(() => ({ editor }), [editor])
  return <EditorContext.Provider value={value}>{children}</EditorContext.Provider>
}

interface CanvasProps {
  readonly editor: Editor
  readonly menu: SuggestionMenu
  readonly offered: readonly OfferedVariable[]
}

export function Canvas({ editor, menu, offered }: CanvasProps) {
  menu.offer(offered)
  const items = useMemo(() => slashItems(offered), [offered])
  return (
    <div className="email-canvas">
      <EditorContent editor={editor} />
      <BubbleMenu
        hideWhenActiveNodes={['button', 'horizontalRule', 'variable', 'image']}
        hideWhenActiveMarks={['link']}
      />
      <BubbleMenu.LinkDefault validateUrl={asLink} />
      <BubbleMenu.ButtonDefault validateUrl={asLink} />
      <SlashCommand items={items}>
        {({ items: found, selectedIndex, onSelect }) => (
          <CommandList
            label={texts.canvas.blocks}
            items={found.map(({ title, description, icon }) => ({ key: title, title, description, icon }))}
            selected={selectedIndex}
            onChoose={onSelect}
          />
        )}
      </SlashCommand>
      <VariableMenu menu={menu} />
    </div>
  )
}

/** An address, or a variable that is filled in with one. What is neither is taken for an address without its beginning. */
export function asLink(text: string): string | null {
  const typed = text.trim()
  if (typed === '' || /^(javascript|data|vbscript):/i.test(typed)) return null
  if (/^(https?:|mailto:|tel:|#|\{\{\{)/i.test(typed)) return typed
  return /^[^\s@]+@[^\s@]+$/.test(typed) ? `mailto:${typed}` : `https://${typed}`
}

function VariableMenu({ menu }: { menu: SuggestionMenu }) {
  const open = useSyncExternalStore(menu.subscribe, menu.current)
  if (!open?.at) return null
  return (
    <div
      className="variable-menu"
      style={{ top: open.at.bottom + 6, left: Math.min(open.at.left, window.innerWidth - 280) }}
    >
      <CommandList
        label={texts.canvas.variables}
        items={open.items.map(({ name, from }) => ({ key: name, title: name, description: from }))}
        selected={open.selected}
        onChoose={(index) => open.choose(open.items[index]!)}
      />
    </div>
  )
}
